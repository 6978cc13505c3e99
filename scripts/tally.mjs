// A Jest reporter: after everything else one plain line, for people and for programs.
export default class Tally {
  onRunComplete(_contexts, { numPassedTests, numFailedTests, numRuntimeErrorTestSuites }) {
    // A file that does not load has no failed test of its own, but it is one.
    console.log(`${numPassedTests} passed, ${numFailedTests + numRuntimeErrorTestSuites} failed`);
  }
}
