// Mocha lets a rejection pass that nobody handles; here it fails the test in which it comes.
const fail = (reason) => {
  throw reason;
};

exports.mochaHooks = {
  beforeAll() {
    // behind the listener that mocha adds for each run
    process.off('unhandledRejection', fail).on('unhandledRejection', fail);
  },
};
