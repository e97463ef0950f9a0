import assert from 'node:assert/strict';
import { parse } from 'jsonc-parser';
import { insertTask } from '../../../../src/commands/tasks/insertTask.ts';

const TASK = { label: 'web: npm test', type: 'gantry.exec', command: ['npm', 'test'] };

/** Returns the text with the task, and the part of it that is shown. */
function inserted(text: string): { readonly now: string; readonly shown: string } {
  const { edits, shown } = insertTask(text, TASK);
  const now = edits
    .toSorted((a, b) => b.offset - a.offset)
    .reduce((all, { offset, length, content }) => {
      return all.slice(0, offset) + content + all.slice(offset + length);
    }, text);
  return { now, shown: now.slice(shown.start, shown.end) };
}

const lines = (unit: string, indent: string, eol = '\n'): string =>
  JSON.stringify(TASK, null, unit).replaceAll('\n', `${eol}${indent}`);

describe('a task in tasks.json', () => {
  const texts: readonly (readonly [what: string, before: string, after: string])[] = [
    [
      'after one with a comment',
      '{\n  // a\n  "tasks": [\n    {"a":1}, // x\n    // y\n  ],\n  "version": "2.0.0" // v\n}\n',
      `{\n  // a\n  "tasks": [\n    {"a":1}, // x\n    // y\n    ${lines('  ', '    ')}\n  ],\n  "version": "2.0.0" // v\n}\n`,
    ],
    [
      'after one without a comma',
      '{\n\t"version": "2.0.0",\n\t"tasks": [\n\t\t{ "label": "a" } /* b */ // c\n\t]\n}',
      `{\n\t"version": "2.0.0",\n\t"tasks": [\n\t\t{ "label": "a" }, /* b */ // c\n\t\t${lines('\t', '\t\t')}\n\t]\n}`,
    ],
    [
      'as the first',
      '{\n    "version": "2.0.0",\n    "tasks": [ // none, and ] is no end\n    ]\n}',
      `{\n    "version": "2.0.0",\n    "tasks": [ // none, and ] is no end\n        ${lines('    ', '        ')}\n    ]\n}`,
    ],
    [
      'on one line',
      '{"version":"2.0.0","tasks":[{"a":1}]}',
      `{"version":"2.0.0","tasks":[{"a":1},\n  ${lines('  ', '  ')}\n]}`,
    ],
    [
      'with the line ends of the file',
      '{\r\n  "version": "2.0.0",\r\n  "tasks": []\r\n}\r\n',
      `{\r\n  "version": "2.0.0",\r\n  "tasks": [\r\n    ${lines('  ', '    ', '\r\n')}\r\n  ]\r\n}\r\n`,
    ],
    [
      'where there are no tasks yet',
      '{\n  // c\n  "version": "2.0.0"\n}',
      `{\n  // c\n  "version": "2.0.0",\n  "tasks": [\n    ${lines('  ', '    ')}\n  ]\n}`,
    ],
    [
      'in an empty object',
      '{}',
      `{\n  "version": "2.0.0",\n  "tasks": [\n    ${lines('  ', '    ')}\n  ]\n}`,
    ],
  ];
  for (const [what, before, after] of texts) {
    it(`is inserted ${what}, and nothing else changes`, () => {
      const { now, shown } = inserted(before);
      assert.equal(now, after);
      assert.deepEqual((parse(now) as { tasks: unknown[] }).tasks.at(-1), TASK);
      assert.ok(shown.includes('npm test'), shown);
    });
  }

  it('is shown', () => {
    const { shown } = inserted('{\n  "version": "2.0.0",\n  "tasks": [\n    {}\n  ]\n}');
    assert.equal(shown, lines('  ', '    '));
    assert.deepEqual(parse(inserted('').shown), TASK);
  });

  it('creates the file', () => {
    assert.deepEqual(parse(inserted(' \n').now), { version: '2.0.0', tasks: [TASK] });
  });

  it('gets a number if another one has its label', () => {
    const text = JSON.stringify({
      version: '2.0.0',
      tasks: [TASK, 7, { label: `${TASK.label} 2` }],
    });
    const { tasks } = parse(inserted(text).now) as { tasks: { label: string }[] };
    assert.equal(tasks.at(-1)?.label, 'web: npm test 3');
  });

  for (const text of ['{', '[]', '7', '{"version":"2.0.0","tasks":{}}', '{"tasks":[}', '{} x']) {
    it(`does not touch ${text}`, () => {
      assert.throws(() => insertTask(text, TASK), /tasks\.json has an error/);
    });
  }

  it('does not touch a file of an older version', () => {
    assert.throws(() => insertTask('{"version":"0.1.0"}', TASK), /needs "version": "2\.0\.0"/);
  });
});
