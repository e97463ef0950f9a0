import assert from 'node:assert/strict';
import {
  commitContainer,
  inspectContainer,
  listContainers,
} from '../../src/engine/containers/containers.ts';
import { startContainer } from '../../src/engine/containers/containerLifecycle.ts';
import { inspectImage } from '../../src/engine/images/images.ts';
import { readLogs } from '../unit/support/readLogs.ts';
import { errorMessage } from '../../src/commands/ui/errorMessage.ts';
import { logText } from '../../src/output/logText.ts';
import { displayText, visibleJson } from '../../src/base/plainText.ts';
import { projectOf, serviceOf } from '../../src/projects/projectLabels.ts';
import { tooltipMarkdown } from '../../src/views/rowPresentation.ts';
import { HIDDEN } from '../unit/support/hostile.ts';
import { refusal, Site } from './support.ts';

const PROJECT = 'com.docker.compose.project';
const SERVICE = 'com.docker.compose.service';
/**
 * Combines a command link, HTML, an icon, terminal sequences, a bidi override, invisible characters and line
 * ends.
 */
const TEXT = '[x](command:y) <b>$(trash)\x1b[31mred\x1b[0m\u202eabc\u200b\u{e0041}\nnext\x07';

describe('hostile values in a real engine', function () {
  this.timeout(60_000);
  let site: Site;

  before(() => {
    site = new Site();
  });

  after(() => site.leave());

  it('are kept in labels, and are harmless in tooltips', async () => {
    const id = await site.create(['true'], {
      body: {
        Labels: { [PROJECT]: TEXT, 'com.docker.compose.config-hash': 'hash', [SERVICE]: TEXT },
      },
    });
    const [container] = await listContainers(site.connection, { all: true, ids: [id] });
    assert(container);
    assert.equal(container.labels[PROJECT], TEXT);
    assert.equal(serviceOf(container), TEXT);
    const tooltip = tooltipMarkdown([{ name: 'Project', value: projectOf(container) ?? '' }]);
    assert.doesNotMatch(tooltip, HIDDEN);
    assert.match(tooltip, /\\\[x\\\]\\\(command\\:y\\\) \\<b\\>\\\$\\\(trash\\\)redabc next$/);
  });

  it('are visible in the inspect response as escape sequences', async () => {
    const id = await site.create(['true'], { body: { Env: [`X=${TEXT}`] } });
    const { raw } = await inspectContainer(site.connection, id);
    const text = visibleJson(raw);
    assert.doesNotMatch(text, HIDDEN);
    assert.deepEqual(JSON.parse(text), raw);
    assert.match(text, /\\u202eabc\\u200b\\udb40\\udc41\\nnext\\u0007/);
  });

  it('are harmless in error messages of the engine', async () => {
    const id = await site.create([TEXT]);
    const error = await refusal(startContainer(site.connection, id));
    const message = displayText(errorMessage(error));
    assert.doesNotMatch(message, HIDDEN);
    assert.doesNotMatch(message, /\]\(/);
    assert.match(message, /command:y/);
    assert.doesNotMatch((await inspectContainer(site.connection, id)).error, HIDDEN);
  });

  it('are harmless in log lines', async () => {
    const { id } = await site.runToEnd(['printf', '%s', `${TEXT}\n`]);
    const lines = [];
    const options = { tail: 'all', follow: false } as const;
    const { signal } = new AbortController();
    for await (const batch of await readLogs(site.connection, id, options, signal))
      lines.push(...batch);
    assert.equal(logText(lines, false), '[x](command:y) <b>$(trash)redabc\u200b\nnext\n');
  });

  it('are rejected as an image tag, and are plain text in an image comment', async () => {
    const id = await site.create(['true']);
    const commit = { id, repository: site.repository(), tag: '1', pause: false };
    await refusal(commitContainer(site.connection, { ...commit, tag: TEXT }));
    const reference = site.owns(`${commit.repository}:${commit.tag}`);
    await commitContainer(site.connection, { ...commit, message: TEXT.trim() });
    const { raw, tags } = await inspectImage(site.connection, reference);
    assert.ok(tags.includes(reference));
    assert.doesNotMatch(visibleJson(raw), HIDDEN);
  });

  it('include a log line of 3 MB, which is read like any other', async () => {
    const script = 'head -c 3000000 /dev/zero | tr "\\0" x; echo; echo end';
    const { id } = await site.runToEnd(['sh', '-c', script]);
    const lengths = [];
    const options = { tail: 'all', follow: false } as const;
    const { signal } = new AbortController();
    for await (const batch of await readLogs(site.connection, id, options, signal))
      lengths.push(...batch.map(({ text }) => text.length));
    assert.deepEqual(lengths, [3_000_000, 3]);
  });
});
