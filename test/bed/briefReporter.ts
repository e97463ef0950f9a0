// What a run of mocha prints: a line for a file that takes its time, none for a test that passes. So
// what failed is all there is to read, also where only a part of a long log is kept.
import Mocha from 'mocha';

/** A file whose tests took longer than this is named, in milliseconds. */
const WORTH_A_LINE = 1_000;

/** Files that take long, failures as they happen, and mocha's own account of these at the end. */
export class BriefReporter extends Mocha.reporters.Base {
  private file = '';
  private took = 0;

  constructor(runner: Mocha.Runner, options?: Mocha.MochaOptions) {
    super(runner, options);
    runner.on('test end', ({ file = '', duration = 0 }) => {
      if (file !== this.file) this.endFile(file);
      this.took += duration;
    });
    runner.on('fail', (test) => {
      say(`  failed: ${test.fullTitle()}`);
    });
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

// Tests may replace `console.log`; mocha has kept the true one.
function say(line: string): void {
  Mocha.reporters.Base.consoleLog(line);
}
