import assert from 'node:assert/strict';
import { TrimmedChannel } from '../../../src/output/trimmedChannel.ts';
import { FakeChannel } from '../support/fakeChannel.ts';
import { FakeClock } from '../support/fakeClock.ts';

function numbered(from: number, to: number): string {
  let text = '';
  for (let line = from; line < to; line++) text += `line ${line}\n`;
  return text;
}

function leftOut(lines: number): string {
  return `[${lines} older lines are not shown. Use Open Log Viewer to see them.]\n`;
}

describe('TrimmedChannel', () => {
  let clock: FakeClock;
  let made: FakeChannel[];
  let channel: TrimmedChannel;
  /** Whether a shown channel is in view immediately. */
  let isSeenAtOnce: boolean;

  beforeEach(() => {
    clock = new FakeClock();
    made = [];
    isSeenAtOnce = true;
    channel = new TrimmedChannel({
      create: () => {
        const one = new FakeChannel('web');
        if (!isSeenAtOnce) one.see = () => undefined;
        made.push(one);
        return one;
      },
      limits: () => ({ lines: 100, bytes: 1_000_000 }),
      clock,
    });
  });

  function see(one: FakeChannel, isInView: boolean): void {
    FakeChannel.prototype.see.call(one, isInView);
  }

  it('releases the text of a finished log once VS Code has all of it', () => {
    channel.show();
    channel.append(numbered(0, 50));
    assert.ok(channel.keptBytes > 0);
    channel.finish();
    assert.equal(channel.keptBytes, 0);
    assert.equal(made[0]?.text, numbered(0, 50));
  });

  it('keeps the text of a finished log until VS Code shows it', () => {
    channel.append(numbered(0, 90));
    channel.append(numbered(90, 150));
    channel.finish();
    assert.ok(channel.keptBytes > 0);
    channel.show();
    clock.pass(10_000);
    assert.equal(made.at(-1)?.text.endsWith(numbered(149, 150)), true);
    assert.equal(channel.keptBytes, 0);
  });

  it('appends to one channel up to its limits', () => {
    channel.show();
    for (let line = 0; line < 100; line++) channel.append(numbered(line, line + 1));
    assert.equal(made.length, 1);
    assert.equal(made[0]!.text, numbered(0, 100));
    assert.equal(made[0]!.appends.length, 100);
  });

  it('starts with the newest lines if given more than it may hold', () => {
    channel.show();
    channel.append(numbered(0, 1000));
    assert.equal(made.length, 1);
    assert.equal(made[0]!.text, leftOut(925) + numbered(925, 1000));
  });

  it('continues in a new channel with the newest lines, and disposes the old one when the new one is in view', () => {
    channel.show();
    channel.append(numbered(0, 100));
    isSeenAtOnce = false;
    channel.append(numbered(100, 101));
    assert.deepEqual(
      made.map(({ calls }) => calls),
      [['show(true)'], ['show(true)']],
    );
    assert.equal(made[1]!.text, leftOut(26) + numbered(26, 101));
    see(made[1]!, true);
    assert.deepEqual(made[0]!.calls, ['show(true)', 'dispose']);
    channel.append(numbered(101, 126));
    assert.equal(made[1]!.text, leftOut(26) + numbered(26, 126));
    assert.equal(made.length, 2);
  });

  it('is not trimmed again for a second, and then once for all lines since', () => {
    channel.show();
    channel.append(numbered(0, 100));
    channel.append(numbered(100, 101));
    for (let line = 101; line < 901; line += 50) channel.append(numbered(line, line + 50));
    assert.equal(made.length, 2);
    assert.equal(made[1]!.text, leftOut(26) + numbered(26, 101));
    assert.equal(clock.sleeping.length, 1);
    clock.pass(999);
    assert.equal(made.length, 2);
    clock.pass(10);
    assert.equal(made.length, 3);
    const left = 901 - (made[2]!.text.split('\n').length - 2);
    assert.equal(made[2]!.text, leftOut(left) + numbered(left, 901));
  });

  it('is not trimmed until VS Code shows the last text', () => {
    channel.show();
    channel.append(numbered(0, 100));
    isSeenAtOnce = false;
    channel.append(numbered(100, 101));
    channel.append(numbered(101, 201));
    clock.pass(60_000);
    assert.equal(made.length, 2);
    see(made[1]!, true);
    assert.equal(made.length, 3);
    assert.equal(made[2]!.text, leftOut(126) + numbered(126, 201));
  });

  it('is never brought to the front while it is out of view', () => {
    channel.show();
    channel.append(numbered(0, 100));
    made[0]!.see(false);
    channel.append(numbered(100, 500));
    clock.pass(60_000);
    assert.deepEqual(made[0]!.calls, ['show(true)']);
    assert.equal(made[0]!.text, numbered(0, 100));
    assert.equal(made.length, 1);
    made[0]!.see(true);
    assert.equal(made[1]!.text, leftOut(425) + numbered(425, 500));
  });

  it('has no previous text after a restart', () => {
    channel.show();
    channel.append(numbered(0, 101));
    channel.append(numbered(101, 300));
    channel.restart();
    channel.show();
    clock.pass(60_000);
    channel.append('new\n');
    assert.equal(made.at(-1)!.text, 'new\n');
    channel.append(numbered(0, 100));
    assert.equal(made.at(-1)!.text, leftOut(26) + numbered(25, 100));
  });

  it('keeps its channel on a restart if that is still empty', () => {
    channel.restart();
    assert.equal(made.length, 1);
  });

  it('disposes all of its channels', () => {
    channel.show();
    channel.append(numbered(0, 100));
    isSeenAtOnce = false;
    channel.append(numbered(100, 101));
    channel.append(numbered(101, 201));
    channel.dispose();
    assert.deepEqual(
      made.map(({ calls }) => calls.at(-1)),
      ['dispose', 'dispose'],
    );
    clock.pass(60_000);
    assert.equal(made.length, 2);
  });
});
