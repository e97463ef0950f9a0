// Mocha reporter with brief output: one line for each slow file, none for a passing test. Failures stand out,
// even if only a part of a long log is kept.
import Mocha from 'mocha';

/** Files whose tests take longer than this are reported, in milliseconds. */
const WORTH_A_LINE = 1_000;

/** Reports slow files, failures as they happen, and mocha's own report of the failures at the end. */
export class BriefReporter extends Mocha.reporters.Base {
  private file = '';
  private took = 0;

  constructor(runner: Mocha.Runner, options?: Mocha.MochaOptions) {
    super(runner, options);
    runner.on('test end', ({ file = '', duration = 0 }) => {
      if (file !== this.file) this.endFile(file);
      this.took += duration;
    });
    runner.on('fail', (test) => say(`  failed: ${test.fullTitle()}`));
    runner.once('end', () => {
      this.endFile('');
      this.epilogue();
    });
  }

  private endFile(next: string): void {
    const name = this.file.slice(this.file.indexOf('test/'));
    if (this.took > WORTH_A_LINE) say(`  ${name}, ${(this.took / 1000).toFixed(1)} s`);
    this.file = next;
    this.took = 0;
  }
}

// Tests may replace `console.log`; mocha keeps the original.
function say(line: string): void {
  Mocha.reporters.Base.consoleLog(line);
}
