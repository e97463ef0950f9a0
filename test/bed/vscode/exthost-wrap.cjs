/* oxlint-disable typescript/no-require-imports -- the extension host loads CommonJS */
// Runs the tests' own module in the extension host, and records that it came to its end. VS Code reports
// success if the host dies: without this, a test that kills the host would pass.
const { writeFileSync } = require('node:fs');

/** @param {string} name */
function variable(name) {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is not set`);
  return value;
}

exports.run = async () => {
  /** @type {unknown} */
  const tests = require(variable('GANTRY_HOST_TESTS'));
  let ended = 'failed';
  try {
    await /** @type {{ run(): Promise<void> }} */ (tests).run();
    ended = 'passed';
  } finally {
    writeFileSync(variable('GANTRY_HOST_PROOF'), ended);
  }
};
