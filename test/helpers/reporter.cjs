// Mocha's own report, then one plain line that scripts can read: "N passed, N failed".
const { reporters, Runner } = require('mocha');

class Reporter extends reporters.Spec {
  constructor(runner, options) {
    super(runner, options);
    runner.once(Runner.constants.EVENT_RUN_END, () => {
      const { passes, failures, pending } = this.stats;
      setImmediate(() =>
        process.stdout.write(`${passes} passed, ${failures} failed${pending ? `, ${pending} skipped` : ''}\n`),
      );
    });
  }
}

module.exports = Reporter;
