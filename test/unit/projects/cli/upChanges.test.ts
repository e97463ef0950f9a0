import assert from 'node:assert/strict';
import type { Container } from '../../../../src/engine/model.ts';
import { readComposeEvent } from '../../../../src/projects/cli/composeProgress.ts';
import {
  projectOfDryRun,
  upChanges,
  type DryRun,
  type UpChange,
} from '../../../../src/projects/cli/upChanges.ts';
import { container } from '../../inventory/support/nouns.ts';

const [OLD, NEW] = ['a', 'b'].map((digit) => digit.repeat(64)) as [string, string];

function member(service: string, labels: Readonly<Record<string, string>> = {}): Container {
  const name = `demo-${service}-1`;
  return container(service, {
    name,
    names: [name],
    labels: {
      'com.docker.compose.project': 'demo',
      'com.docker.compose.service': service,
      'com.docker.compose.config-hash': OLD,
      'com.docker.compose.image': 'sha256:1',
      ...labels,
    },
  });
}

/** `Container demo-db-1 Recreate`, as the CLI writes it. */
function changesOf(
  lines: readonly string[],
  containers: readonly Container[],
  more: Partial<DryRun> = {},
): readonly UpChange[] {
  const events = lines.flatMap((line) => {
    const [, id, status] = /^(.*) (\S+)$/.exec(line) ?? [];
    return readComposeEvent(JSON.stringify({ 'dry-run': true, id, status })) ?? [];
  });
  const hashes = new Map(['db', 'web'].map((service) => [service, OLD]));
  const rest = { project: 'demo', services: [], imageIdOf: () => 'sha256:1' };
  const changes = upChanges({ events, containers, hashes, ...rest, ...more });
  return changes ?? assert.fail('nothing is known');
}

describe('upChanges', () => {
  const db = member('db');
  const web = member('web', { 'com.docker.compose.depends_on': 'db:service_started:true' });
  const recreation = [
    'Container demo-db-1 Recreate',
    'Container demo-db-1 Recreated',
    'Container 11393532e86d_demo-db-1 Starting',
    'Container 11393532e86d_demo-db-1 Started',
  ];
  const container = (name: string, action: string, reason?: string): object => ({
    ...{ kind: 'container', name: `demo-${name}-1`, action },
    ...(reason !== undefined && { reason }),
  });

  it('has what is created, and leaves out the temporary names of a dry run', () => {
    const lines = ['built Built', 'Network demo_default Created', 'Volume "demo_data" Created'];
    const all = ['Container demo-db-1 Created', 'Container demo-db-1 Started', ...lines];
    assert.deepEqual(changesOf(all, []), [
      container('db', 'created'),
      { kind: 'image', name: 'built', action: 'created' },
      { kind: 'network', name: 'demo_default', action: 'created' },
      { kind: 'volume', name: 'demo_data', action: 'created' },
    ]);
  });

  it('has what stays as it is', () => {
    const lines = ['Container demo-db-1 Running', 'Container demo-db-1 Waiting'];
    const unchanged = [container('db', 'unchanged'), container('web', 'unchanged')];
    assert.deepEqual(changesOf(lines, [db, web]), unchanged);
  });

  it('reports why a container is recreated', () => {
    const reasonOf = (more: Partial<DryRun>): string | undefined =>
      changesOf(recreation, [db], more)[0]?.reason;
    assert.equal(reasonOf({ hashes: new Map([['db', NEW]]) }), 'configuration');
    assert.equal(reasonOf({ imageIdOf: () => 'sha256:2' }), 'image');
    assert.equal(reasonOf({ imageIdOf: () => undefined }), undefined);
    const moved = { ...db, image: `sha256:${OLD}` };
    const [change] = changesOf(recreation, [moved], { imageIdOf: () => undefined });
    assert.equal(change?.reason, 'image');
    const both = changesOf([...recreation, 'Container demo-web-1 Recreated'], [db, web], {
      hashes: new Map([
        ['db', NEW],
        ['web', OLD],
      ]),
    });
    assert.deepEqual(both, [
      container('db', 'recreated', 'configuration'),
      container('web', 'recreated', 'dependency'),
    ]);
  });

  it('marks containers whose service is not in the files, unless they are removed', () => {
    const old = member('old');
    assert.deepEqual(changesOf([], [old]), [container('old', 'orphaned')]);
    const removal = ['Container demo-old-1 Stopped', 'Container demo-old-1 Removed'];
    assert.deepEqual(changesOf(removal, [old]), [container('old', 'removed')]);
    assert.deepEqual(changesOf([], [old], { hashes: new Map() }), [container('old', 'unchanged')]);
  });

  it('has a container that is only started', () => {
    const lines = ['Container demo-db-1 Starting', 'Container demo-db-1 Started'];
    assert.deepEqual(changesOf(lines, [db]), [container('db', 'started')]);
  });

  it('has a stopped container as started, although Compose 2 reports it as created', () => {
    const lines = ['Container demo-db-1 Created', 'Container demo-db-1 Started'];
    assert.deepEqual(changesOf(lines, [db]), [container('db', 'started')]);
  });

  it('is not known without a word that is known, unless all containers exist', () => {
    assert.throws(() => changesOf(['Container demo-db-1 Fancied'], [db]), /nothing is known/);
    assert.throws(() => changesOf([], []), /nothing is known/);
    assert.deepEqual(changesOf([], [db]), [container('db', 'unchanged')]);
  });

  it('has what it does not know as such, with its words, and never as unchanged', () => {
    const all = [
      'Container demo-db-1 Running',
      'Container demo-web-1 Stopping',
      'Container demo-web-1 Stopped',
      'Container demo-web-1 Starting',
      'Container demo-web-1 Started',
      'Network demo_default Exists',
      'Network demo_default Renamed',
      'Network demo_old to demo_new Renamed',
      'Config demo a Rewritten',
      'Network demo_back Removing',
      'Network demo_back Removed',
      'Network demo_back Creating',
      'Network demo_back Created',
      'Volume demo_data Removed',
      'Volume demo_data Created',
    ];
    assert.deepEqual(changesOf(all, [db, web]), [
      { kind: 'container', name: 'Config demo a', action: 'other', text: 'Rewritten' },
      container('db', 'unchanged'),
      { ...container('web', 'other'), text: 'Stopped, Started' },
      { kind: 'network', name: 'demo_back', action: 'recreated' },
      { kind: 'network', name: 'demo_default', action: 'other', text: 'Renamed' },
      { kind: 'network', name: 'demo_old to demo_new', action: 'other', text: 'Renamed' },
      { kind: 'volume', name: 'demo_data', action: 'recreated' },
    ]);
  });

  it('leaves out other services, one-off containers and other projects', () => {
    const oneOff = member('job', { 'com.docker.compose.oneoff': 'True' });
    const other = member('db', { 'com.docker.compose.project': 'other' });
    const hook = member('hook', { 'com.docker.compose.hook': 'pre_start' });
    const all = [db, web, oneOff, other, hook];
    const only = changesOf([], all, { services: ['db'] });
    assert.deepEqual(only, [container('db', 'unchanged')]);
  });

  it('finds the project of a container that exists, not of one to create', () => {
    const projectOf = (status: string) =>
      projectOfDryRun({ events: [{ id: 'Container demo-web-1', status }], containers: [db, web] });
    assert.equal(projectOf('Recreate'), 'demo');
    assert.equal(projectOf('Running'), 'demo');
    assert.equal(projectOf('Created'), undefined);
  });
});
