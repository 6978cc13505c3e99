// A Jest reporter: after everything else one plain line, for people and for programs.
export default class Tally {
  onRunComplete(_contexts, { numPassedTests, numFailedTests, numRuntimeErrorTestSuites }) {
    // A file that does not load has no failed test of its own, but it is one.
    const line = `${numPassedTests} passed, ${numFailedTests + numRuntimeErrorTestSuites} failed`;
    process.once('exit', () => console.log(line)); // Jest's own summary comes after all reporters
  }
}
