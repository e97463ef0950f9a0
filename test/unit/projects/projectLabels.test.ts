import assert from 'node:assert/strict';
import { readProjects } from '../../../src/projects/project.ts';
import {
  environmentFilesOf,
  filesOf,
  hookOf,
  isOfComposeService,
  isOfStack,
  isOneOff,
  projectOf,
  serviceOf,
} from '../../../src/projects/projectLabels.ts';
import { container } from '../inventory/support/nouns.ts';

const COMPOSE = 'com.docker.compose';
const NAMES = { [`${COMPOSE}.project`]: 'shop', [`${COMPOSE}.service`]: 'web' };
/** What Compose writes into an image that it builds, and so into each container of the image. */
const OF_IMAGE = { ...NAMES, [`${COMPOSE}.version`]: '2.40.3' };
const STACK = {
  'com.docker.stack.namespace': 'live',
  'com.docker.swarm.service.name': 'live_api',
  'com.docker.swarm.task.name': 'live_api.1.x1y2',
};

describe('whose a container is', () => {
  it('is not told by the labels of an image that Compose built', () => {
    const foreign = container('f', { labels: OF_IMAGE });
    assert.deepEqual(
      [projectOf(foreign), serviceOf(foreign), isOfComposeService(foreign), isOneOff(foreign)],
      [undefined, undefined, false, false],
    );
    const depends = { ...OF_IMAGE, [`${COMPOSE}.depends_on`]: 'db:service_started:false' };
    const own = container('o', { labels: { ...OF_IMAGE, [`${COMPOSE}.config-hash`]: 'abc' } });
    const [shop, ...others] = readProjects([foreign, container('g', { labels: depends }), own]);
    assert.deepEqual(others, []);
    assert.deepEqual(
      shop?.services.map(({ name, containers }) => [name, containers.map(({ id }) => id)]),
      [['web', [own.id]]],
    );
  });

  it('is told by what only Compose, docker-compose 1 and podman-compose give to a container', () => {
    const marks: readonly Readonly<Record<string, string>>[] = [
      { [`${COMPOSE}.config-hash`]: 'abc' },
      { [`${COMPOSE}.oneoff`]: 'False' },
      { 'io.podman.compose.project': 'shop' },
    ];
    for (const mark of marks) {
      const own = container('a', { labels: { ...NAMES, ...mark } });
      assert.deepEqual([projectOf(own), serviceOf(own)], ['shop', 'web']);
    }
    const run = container('r', { labels: { ...NAMES, [`${COMPOSE}.oneoff`]: 'True' } });
    assert.deepEqual([projectOf(run), serviceOf(run), isOneOff(run)], ['shop', undefined, true]);
  });

  it('is the hook of a service and not the service, if Compose created it for a hook', () => {
    const files = { [`${COMPOSE}.project.config_files`]: '/p/compose.yaml' };
    const run = { [`${COMPOSE}.config-hash`]: 'abc', [`${COMPOSE}.oneoff`]: 'True' };
    const hook = container('a', { labels: { ...NAMES, [`${COMPOSE}.hook`]: 'pre_start' } });
    assert.deepEqual([projectOf(hook), serviceOf(hook), isOneOff(hook)], ['shop', undefined, true]);
    assert.deepEqual(hookOf(hook), { kind: 'pre_start', service: 'web' });
    const [shop] = readProjects([hook, container('b', { labels: { ...NAMES, ...run, ...files } })]);
    assert.deepEqual([shop?.services, shop?.oneOffs.length], [[], 2]);
    assert.deepEqual(shop?.files, ['/p/compose.yaml']);
  });

  it('is the stack or the pod, if it runs an image that Compose built', () => {
    const task = container('t', { labels: { ...OF_IMAGE, ...STACK } });
    assert.deepEqual([projectOf(task), serviceOf(task), isOfStack(task)], ['live', 'api', true]);
    const pod = { id: 'p', name: 'pod', isInfra: false };
    const member = container('m', { labels: OF_IMAGE, pod });
    assert.deepEqual([projectOf(member), serviceOf(member)], ['pod', undefined]);
  });
});

describe('the paths in labels', () => {
  const of = (files: string, workingDir = '', environmentFiles = '') => {
    const labels = {
      [`${COMPOSE}.project.config_files`]: files,
      [`${COMPOSE}.project.working_dir`]: workingDir,
      [`${COMPOSE}.project.environment_file`]: environmentFiles,
    };
    return container('a', { labels });
  };

  it('are split only between paths, not at the commas in them', () => {
    const cases: readonly (readonly [label: string, folder: string, files: readonly string[]])[] = [
      ['/srv/p/a,b/compose.yaml', '/srv/p/a,b', ['/srv/p/a,b/compose.yaml']],
      ['/p/a,b/x.yaml,/p/a,b/y.yaml', '/p/a,b', ['/p/a,b/x.yaml', '/p/a,b/y.yaml']],
      ['/p,/q/compose.yaml', '/p,/q', ['/p,/q/compose.yaml']],
      ['/p/v1.yaml,b/x.yaml,/c/y.yml', '/p/v1.yaml,b', ['/p/v1.yaml,b/x.yaml', '/c/y.yml']],
      [
        '/p/a,b/base.yaml,/p/a,b/app/x.yaml',
        '/p/a,b/app',
        ['/p/a,b/base.yaml', '/p/a,b/app/x.yaml'],
      ],
      ['/other/c,d/x.yaml,/p/y.yaml', '/p', ['/other/c,d/x.yaml', '/p/y.yaml']],
      ['/p/compose,dev.yaml', '/p', ['/p/compose,dev.yaml']],
      ['compose.yaml,dev.yaml', '/p', ['/p/compose.yaml', '/p/dev.yaml']],
      ['C:\\a,b\\x.yaml,C:\\a,b\\y.yaml', 'C:\\a,b', ['C:\\a,b\\x.yaml', 'C:\\a,b\\y.yaml']],
      ['/p/x.yaml,,/p/y.yaml,', '/p', ['/p/x.yaml', '/p/y.yaml']],
    ];
    for (const [label, folder, files] of cases)
      assert.deepEqual(filesOf(of(label, folder)).files, files, label);
    assert.deepEqual(environmentFilesOf([of('', '/p/a,b', '/p/a,b/.env,/p/a,b/dev.env')]), [
      '/p/a,b/.env',
      '/p/a,b/dev.env',
    ]);
    assert.deepEqual(environmentFilesOf([of('', '/p', '.env.local,dev.env')]), [
      '/p/.env.local',
      '/p/dev.env',
    ]);
  });

  it('keep invisible characters and spaces, because they are names of files', () => {
    for (const name of ['می\u200cخواهم', '👨\u200d👩\u200d👧', 'a  b ', 'x\u202ey', '[a](b)$(c)']) {
      const folder = `/srv/${name}`;
      assert.deepEqual(filesOf(of(`${folder}/compose.yaml`, folder)), {
        files: [`${folder}/compose.yaml`],
        workingDir: folder,
      });
      assert.deepEqual(environmentFilesOf([of('', folder, '.env')]), [`${folder}/.env`]);
    }
  });

  it('are not known rather than cut', () => {
    const long = `/${'a'.repeat(20_000)}`;
    assert.deepEqual(filesOf(of(`${long}/x.yaml`, long)), { files: [] });
    assert.deepEqual(filesOf(of('/a\0/x.yaml', '/a\0')), { files: [] });
    const many = Array.from({ length: 51 }, (_, at) => `/p/${at}.yaml`);
    assert.deepEqual(filesOf(of(many.join(','), '/p')).files, []);
    assert.equal(filesOf(of(many.slice(1).join(','), '/p')).files.length, 50);
  });

  it('are compared exactly: also services and dependencies', () => {
    const marks = { [`${COMPOSE}.project`]: 'shop', [`${COMPOSE}.config-hash`]: 'abc' };
    const first = 'می\u200cخواهم';
    const second = 'میخواهم';
    const labelled = (letter: string, service: string, depends = '') =>
      container(letter, {
        labels: {
          ...marks,
          [`${COMPOSE}.service`]: service,
          [`${COMPOSE}.depends_on`]: depends,
        },
      });
    const [shop] = readProjects([
      labelled('a', first),
      labelled('b', second, `${first}:service_started:false`),
    ]);
    assert.deepEqual(
      shop?.services.map(({ name, dependencies }) => [
        name,
        dependencies.map((one) => one.service),
      ]),
      [
        [first, []],
        [second, [first]],
      ].sort(([a = ''], [b = '']) => (a < b ? -1 : 1)),
    );
  });
});
