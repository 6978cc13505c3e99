// A Jest reporter: one plain line after all other output, for people and for programs.
export default class Tally {
  onRunComplete(_contexts, { numPassedTests, numFailedTests, numPendingTests, numRuntimeErrorTestSuites }) {
    // A file that does not load has no failed test, but counts as one.
    const failed = numFailedTests + numRuntimeErrorTestSuites;
    const skipped = numPendingTests > 0 ? `, ${numPendingTests} skipped` : '';
    const line = `${numPassedTests} passed, ${failed} failed${skipped}`;
    process.once('exit', () => console.log(line)); // Jest's own summary comes after all reporters
  }
}
