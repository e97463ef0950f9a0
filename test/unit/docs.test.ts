// Compares the documentation with what it describes: links, commands and their arguments, settings, texts of the UI.
import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { posix } from 'node:path';

interface Manifest {
  readonly name: string;
  readonly publisher: string;
  readonly contributes: {
    readonly commands: readonly {
      readonly command: string;
      readonly title: string;
      readonly category: string;
    }[];
    readonly menus: Readonly<
      Record<string, readonly { readonly command: string; readonly when?: string }[]>
    >;
    readonly configuration: { readonly properties: Readonly<Record<string, unknown>> };
    readonly taskDefinitions: readonly {
      readonly type: string;
      readonly properties: Readonly<Record<string, unknown>>;
    }[];
  };
}

type Shape = string | readonly Shape[] | { readonly [key: string]: Shape };
/** What compatibility.test.ts recorded. */
interface Surface {
  readonly commands: Readonly<
    Record<string, { readonly argument: Shape; readonly result: Shape; readonly takesUri: boolean }>
  >;
}

/** One heading of docs/commands.md with its list. */
interface Entry {
  readonly ids: readonly string[];
  /** The text of each list item. */
  readonly items: readonly string[];
}

const ROOT = new URL('../../', import.meta.url);
const read = (file: string): string => readFileSync(new URL(file, ROOT), 'utf8');
const find = (pattern: string): readonly string[] => globSync(pattern, { cwd: ROOT.pathname });

const manifest = JSON.parse(read('package.json')) as Manifest;
const texts = JSON.parse(read('package.nls.json')) as Readonly<Record<string, string>>;
const { commands } = JSON.parse(read('test/unit/compatibility.json')) as Surface;

/** The pages that describe this version. */
const PAGES = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', ...find('docs/*.md')];
const ALL_PAGES = [...PAGES, 'CHANGELOG.md'];
const SETTINGS = Object.keys(manifest.contributes.configuration.properties);

const README_BYTES = 10_000;
const TABLE_WIDTH = 100;
/** Texts of VS Code that the pages quote, and the name of Gantry's output channel. */
const TEXTS_OF_OTHERS = ['Terminate Task', 'Feature Contributions', 'Gantry'];

/** A page without code, which is no Markdown. */
function proseOf(page: string): string {
  return read(page)
    .replace(/^```.*?^```/gms, '')
    .replace(/`[^`\n]*`/g, '');
}

/** The anchors that GitHub and the Marketplace make of the headings. */
function anchorsOf(page: string): readonly string[] {
  const headings = read(page)
    .replace(/^```.*?^```/gms, '')
    .matchAll(/^#+ (.+)$/gm);
  return [...headings].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

/** Why a link leads nowhere; undefined if it resolves. */
function linkProblem(page: string, link: string): string | undefined {
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? page : posix.join(posix.dirname(page), path);
  if (!existsSync(new URL(target, ROOT))) return `${page}: no file ${link}`;
  if (anchor === undefined || anchorsOf(target).includes(anchor)) return undefined;
  return `${page}: no heading ${link}`;
}

/** The headings of the third level and what is below each. */
function sectionsOf(text: string): readonly (readonly [heading: string, text: string])[] {
  const [, ...sections] = text.split(/^### /m);
  return sections.map((section) => {
    const [heading = '', ...lines] = section.split('\n');
    const end = lines.findIndex((line) => line.startsWith('## '));
    return [heading, lines.slice(0, end < 0 ? undefined : end).join('\n')];
  });
}

/** The items of a list, each on one line. */
function itemsOf(text: string): readonly string[] {
  const [, ...items] = text.split(/^- /m);
  return items.map((item) => (item.split('\n\n')[0] ?? '').replace(/\s+/g, ' ').trim());
}

const idsIn = (text: string): readonly string[] =>
  [...text.matchAll(/`(gantry\.[\w.]+)`/g)].map(([, id = '']) => id);

/** The names that list items begin with: "- `image`: …". */
const namesOf = (text: string): readonly string[] =>
  itemsOf(text).flatMap((item) => /^`(\w+)`:/.exec(item)?.[1] ?? []);

const ENTRIES: readonly Entry[] = sectionsOf(read('docs/commands.md')).map(([heading, text]) => ({
  ids: idsIn(heading),
  items: itemsOf(text),
}));
const [, TASK_TEXT = '', EXEC_TEXT = '', FIELD_TEXT = ''] = read('docs/recipes.md').split(
  /^## (?:Tasks|Commands in running containers|Container fields)$/m,
);
const CONTAINER_FIELDS = namesOf(FIELD_TEXT);

function itemOf({ ids, items }: Entry, name: string): string {
  const found = items.find((item) => item.startsWith(name));
  assert.ok(found !== undefined, `${ids.join()} has no "${name}"`);
  return found.slice(name.length).trim();
}

/** The objects in a text, each by its fields: `{ id, path? }`. */
function objectsIn(text: string): readonly (readonly string[])[] {
  return [...text.matchAll(/`\{([^`]*)\}`/g)].map(([, fields = '']) =>
    fields
      .split(',')
      .map((field) => field.trim())
      .filter((field) => field !== ''),
  );
}

const withoutMark = (field: string): string => field.replace('?', '');

/** The fields of a documented argument. One that is not in every form of it is optional. */
function fieldsOf(text: string): readonly string[] {
  const forms = objectsIn(text);
  const named = [...new Set(forms.flat())].filter((field) => field !== '…');
  const fields = named.map((field) =>
    forms.every((form) => form.includes(field)) ? field : `${withoutMark(field)}?`,
  );
  const isOpen = forms.some((form) => form.includes('…'));
  const others = CONTAINER_FIELDS.map((field) => `${field}?`);
  const added = others.filter((field) => !fields.includes(withoutMark(field)));
  return [...new Set([...fields, ...(isOpen ? added : [])])].sort();
}

/** The fields that a command takes, and `engine` only if the page has to name it. */
function fieldsTaken(id: string, documented: readonly string[]): readonly string[] {
  const argument = commands[id]?.argument ?? {};
  const all = typeof argument === 'string' ? [] : Object.keys(argument);
  return all.filter((field) => field !== 'engine?' || documented.includes(field)).sort();
}

/** The fields of a recorded result, of each of its forms; of a list those of an item. */
function resultFields(result: Shape): Readonly<Record<string, Shape>> {
  if (typeof result === 'string') return {};
  const forms = Array.isArray(result) ? (result as readonly Shape[]) : undefined;
  if (forms) return Object.assign({}, ...forms.map(resultFields)) as Record<string, Shape>;
  const { anyOf, ...fields } = result as Readonly<Record<string, Shape>>;
  return anyOf === undefined ? fields : resultFields(anyOf);
}

/** A text of the manifest, which is one itself or the key of one. */
const textOf = (text: string): string =>
  text.replace(/^%(.*)%$/, (_, key: string) => texts[key] ?? '');

/** The titles of the Command Palette, with their categories. */
const TITLES: ReadonlyMap<string, string> = new Map(
  manifest.contributes.commands.map(({ command, category, title }) => [
    command,
    `${textOf(category)}: ${textOf(title)}`,
  ]),
);

describe('the documentation', () => {
  it('has a README of at most 10 kB', () => {
    const { size } = statSync(new URL('README.md', ROOT));
    assert.ok(size <= README_BYTES, `${size} bytes`);
  });

  for (const page of ALL_PAGES) {
    it(`has only links that resolve: ${page}`, () => {
      const links = [...proseOf(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);
      const own = links.filter((link) => !/^[a-z]+:/.test(link));
      assert.deepEqual(
        own.flatMap((link) => linkProblem(page, link) ?? []),
        [],
      );
    });

    it(`has no table wider than ${TABLE_WIDTH} characters: ${page}`, () => {
      const lines = read(page).split('\n');
      const rows = lines.filter((line) => /^\s*\|/.test(line));
      assert.deepEqual(
        rows.filter((row) => row.length > TABLE_WIDTH),
        [],
      );
    });
  }

  for (const page of PAGES) {
    it(`names only commands and settings that exist: ${page}`, () => {
      const known = [
        ...[...SETTINGS, ...Object.keys(commands)],
        `${manifest.publisher}.${manifest.name}`,
        ...manifest.contributes.taskDefinitions.map(({ type }) => type),
      ];
      const named = [...read(page).matchAll(/(?<![\w./-])gantry(?:\.\w+)+/g)].map(([id]) => id);
      assert.deepEqual(
        named.filter((id) => !known.includes(id)),
        [],
      );
    });

    it(`quotes only texts that exist: ${page}`, () => {
      const quoted = [...proseOf(page).matchAll(/(?<!\w)_([^_]+)_(?!\w)/g)];
      const known = [...Object.values(texts), ...TITLES.values(), ...TEXTS_OF_OTHERS];
      const links = known.flatMap((text) => [...text.matchAll(/\[([^\]]+)\]\(/g)]);
      const labels = links.map(([, label]) => label);
      const source = find('src/**/*.ts').map(read).join('\n');
      const unknown = quoted
        .map(([, text = '']) => text.replace(/\s+/g, ' '))
        .filter((text) => !known.includes(text) && !labels.includes(text))
        .filter((text) => !source.includes(`l10n.t('${text}'`));
      assert.deepEqual(unknown, []);
    });
  }

  it('names only parts of the benchmark that can be run, and those can run all', () => {
    const keysIn = (file: string, pattern: RegExp): readonly string[] =>
      [...read(file).matchAll(pattern)].map(([, name = '']) => name).sort();
    const parts = keysIn('test/bench/parts.ts', /^ {2}(\w+): part\(/gm);
    assert.deepEqual(keysIn('scripts/bench.mjs', /^ {2}(\w+): \[/gm), parts);
    const named = read('CONTRIBUTING.md').matchAll(/`npm run bench -- ([\w ]+)`/g);
    const names = [...named].flatMap(([, words = '']) => words.split(' '));
    assert.deepEqual(
      names.filter((name) => !parts.includes(name)),
      [],
    );
  });

  it('has every command that is not hidden', () => {
    const palette = manifest.contributes.menus['commandPalette'] ?? [];
    const hidden = palette.filter(({ when }) => when === 'false').map(({ command }) => command);
    const documented = ENTRIES.flatMap(({ ids }) => ids);
    const ids = manifest.contributes.commands.map(({ command }) => command);
    assert.deepEqual(
      ids.filter((id) => !hidden.includes(id) && !documented.includes(id)),
      [],
    );
    assert.deepEqual([...new Set(documented)], documented);
  });

  it('names the commands that are not in the Command Palette', () => {
    const palette = manifest.contributes.menus['commandPalette'] ?? [];
    const hidden = palette.filter(({ when }) => when === 'false').map(({ command }) => command);
    const marked = ENTRIES.flatMap(({ ids, items }) =>
      items.flatMap((item) => {
        const [, named] = /\bNot in the Command Palette(.*)\.$/.exec(item) ?? [];
        return named === undefined ? [] : named === '' ? ids : idsIn(named);
      }),
    );
    assert.deepEqual(
      marked.sort(),
      ENTRIES.flatMap(({ ids }) => ids)
        .filter((id) => hidden.includes(id))
        .sort(),
    );
  });

  it('names the commands without a menu entry', () => {
    const { commandPalette = [], ...menus } = manifest.contributes.menus;
    const hidden = commandPalette.filter(({ when }) => when === 'false');
    const inMenus = new Set(
      Object.values(menus).flatMap((items) => items.map(({ command }) => command)),
    );
    const marked = ENTRIES.flatMap(({ ids, items }) =>
      items.flatMap((item) => {
        const [, named] = /\bNo menu entry((?:[:,] `[^`]+`)*)\./.exec(item) ?? [];
        return named === undefined ? [] : named === '' ? ids : idsIn(named);
      }),
    );
    const documented = new Set(ENTRIES.flatMap(({ ids }) => ids));
    const without = hidden
      .map(({ command }) => command)
      .filter((id) => documented.has(id) && !inMenus.has(id));
    assert.deepEqual(marked.sort(), without.sort());
  });

  it('has every setting', () => {
    const documented = sectionsOf(read('docs/settings.md')).flatMap(([heading]) => idsIn(heading));
    assert.deepEqual([...documented].sort(), [...SETTINGS].sort());
  });

  it('has every field of a container and of a task', () => {
    const argument = commands['gantry.containers.create']?.argument ?? {};
    const fields = Object.keys(argument).map(withoutMark);
    const expected = fields.filter((field) => field !== 'engine');
    assert.deepEqual([...CONTAINER_FIELDS].sort(), expected.sort());
    const [task] = manifest.contributes.taskDefinitions;
    const own = Object.keys(task?.properties ?? {}).filter((name) => !expected.includes(name));
    assert.deepEqual([...namesOf(TASK_TEXT)].sort(), own.sort());
  });

  it('has every field of a compose task', () => {
    const { properties = {} } =
      manifest.contributes.taskDefinitions.find(({ type }) => type === 'gantry.compose') ?? {};
    const text = read('docs/projects.md').split('## Tasks')[1]?.split('\n## ', 1)[0] ?? '';
    const missing = Object.keys(properties).filter((name) => !text.includes(`\`${name}\``));
    // Set by Gantry itself.
    assert.deepEqual(missing, ['run']);
  });

  it('has every field of a task with a command in a container', () => {
    const { properties = {} } =
      manifest.contributes.taskDefinitions.find(({ type }) => type === 'gantry.exec') ?? {};
    const missing = Object.keys(properties).filter((name) => !EXEC_TEXT.includes(`\`${name}\``));
    assert.deepEqual(missing, ['run']);
  });

  for (const entry of ENTRIES) {
    describe(entry.ids.join(', '), () => {
      it('has the titles of the Command Palette', () => {
        const titles = entry.ids.map((id) => `_${TITLES.get(id) ?? ''}_`).join(', ');
        assert.equal(itemOf(entry, entry.ids.length === 1 ? 'Title:' : 'Titles:'), titles);
      });

      it('has the fields of its argument', () => {
        const text = itemOf(entry, 'Argument:');
        const documented = fieldsOf(text);
        for (const id of entry.ids) {
          assert.deepEqual(documented, fieldsTaken(id, documented), id);
          assert.equal(text.includes('`Uri`'), commands[id]?.takesUri, id);
          assert.equal(text === 'none', commands[id]?.argument === 'not checked', id);
        }
      });

      it('has fields of its result, and every outcome', () => {
        const text = itemOf(entry, 'Result:');
        const named = objectsIn(text).flat();
        const words = [...text.matchAll(/`(\w+)`/g)].map(([, word]) => word);
        for (const id of entry.ids) {
          const fields = resultFields(commands[id]?.result ?? '');
          const known = Object.keys(fields).map(withoutMark);
          assert.deepEqual(
            named.map(withoutMark).filter((field) => !known.includes(field)),
            [],
            id,
          );
          const outcomes = [...JSON.stringify(fields['outcome'] ?? '').matchAll(/'(\w+)'/g)];
          assert.deepEqual(words.sort(), outcomes.map(([, word]) => word).sort(), id);
        }
      });
    });
  }
});
