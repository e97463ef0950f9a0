import assert from 'node:assert/strict';
import { findProject, readProjects } from '../../../src/projects/project.ts';
import { dependenciesOf, missingServices } from '../../../src/projects/projectLabels.ts';
import {
  orderServices,
  withDependencies,
  withRestarted,
} from '../../../src/projects/orderServices.ts';
import type { Container } from '../../../src/engine/model.ts';
import { container } from '../inventory/support/nouns.ts';
import { inProject } from '../views/support/stage.ts';

const DEPENDS_ON = 'com.docker.compose.depends_on';

/** Returns a container for each service, with the value of its label. */
function shop(services: Readonly<Record<string, string>>): readonly Container[] {
  return Object.entries(services).map(([service, depends], at) =>
    container('a', {
      id: String(at).padStart(64, '0'),
      name: `shop-${service}-1`,
      labels: { ...inProject('shop', service, 1), [DEPENDS_ON]: depends },
    }),
  );
}

function orderOf(services: Readonly<Record<string, string>>): readonly string[] {
  const project = findProject(shop(services), 'shop');
  return orderServices(project?.services ?? []).map(
    ({ name, dependencies }) => `${name}<${dependencies.map(({ service }) => service).join()}`,
  );
}

describe('compose projects', () => {
  it('are read from labels: services with numbered containers, one-off runs, files', () => {
    const files = {
      'com.docker.compose.project.config_files': '/a/compose.yaml,/a/override.yaml',
      'com.docker.compose.project.working_dir': '/a',
    };
    const oneOff = { ...inProject('shop', 'web'), 'com.docker.compose.oneoff': 'True' };
    const [found, ...others] = readProjects([
      container('a', { labels: { ...inProject('shop', 'web', 10), ...files } }),
      container('b', { labels: { ...inProject('shop', 'web', 2), ...files } }),
      container('c', { labels: { ...oneOff, ...files } }),
      container('d', { name: 'loose', labels: inProject('shop') }),
      container('e'),
    ]);
    assert.deepEqual(others, []);
    assert(found);
    const { services, oneOffs, ...rest } = found;
    assert.deepEqual(
      services.map(({ name, containers }) => [name, containers.map((one) => one.name)]),
      [
        ['loose', ['loose']],
        ['web', ['b', 'a']],
      ],
    );
    assert.deepEqual(
      oneOffs.map((one) => one.name),
      ['c'],
    );
    assert.deepEqual(rest, {
      name: 'shop',
      isStack: false,
      isPod: false,
      files: ['/a/compose.yaml', '/a/override.yaml'],
      workingDir: '/a',
    });
  });

  it('have dependencies with conditions; an unknown condition means that it is started', () => {
    const [web] = shop({
      web: 'db:service_healthy:true, job:service_completed_successfully:false,x:service_odd:1,y,:,',
    });
    assert(web);
    assert.deepEqual(dependenciesOf(web), [
      { service: 'db', condition: 'healthy', restarts: true },
      { service: 'job', condition: 'completed', restarts: false },
      { service: 'x', condition: 'started', restarts: false },
      { service: 'y', condition: 'started', restarts: false },
    ]);
  });

  it('have at most 100 dependencies for each container, regardless of its label', () => {
    const label = Array.from({ length: 1e5 }, (_, at) => `s${at}:service_started:false`).join();
    const [web] = shop({ web: label });
    assert(web);
    assert.equal(dependenciesOf(web).length, 100);
  });

  it('are ordered by their dependencies, else by name', () => {
    assert.deepEqual(orderOf({ a: 'b,c', b: 'c', c: '', d: '' }), ['c<', 'd<', 'b<c', 'a<b,c']);
  });

  it('do not wait for services without containers or for themselves', () => {
    assert.deepEqual(orderOf({ a: 'a,model', b: 'a' }), ['a<', 'b<a']);
    assert.deepEqual(missingServices(shop({ a: 'a,model', b: 'x' })), ['model', 'x']);
  });

  it('lose one dependency of each cycle', () => {
    assert.deepEqual(orderOf({ a: 'b', b: 'c', c: 'b', d: '' }), ['d<', 'b<', 'a<b', 'c<b']);
    assert.deepEqual(orderOf({ a: 'b', b: 'a', c: 'd', d: 'c' }), ['a<', 'b<a', 'c<', 'd<c']);
  });

  it('are ordered quickly even if hostile labels have one long chain or one long cycle', () => {
    const count = 5000;
    const chain = (last: string) =>
      Object.fromEntries(
        Array.from({ length: count }, (_, at) => [`s${at}`, at + 1 < count ? `s${at + 1}` : last]),
      );
    assert.equal(orderOf(chain(''))[0], `s${count - 1}<`);
    assert.equal(orderOf(chain('s0')).filter((one) => one.endsWith('<')).length, 1);
  });

  it('select what a service depends on, and what is restarted with it', () => {
    const all = findProject(
      shop({ a: 'b:x:true', b: 'c:x:true', c: '', d: 'c:x:false', e: 'd:x:true' }),
      'shop',
    );
    const names = (services: readonly { readonly name: string }[]) =>
      services.map((one) => one.name);
    const services = all?.services ?? [];
    assert.deepEqual(names(withDependencies(services, 'a')), ['a', 'b', 'c']);
    assert.deepEqual(names(withDependencies(services, 'e')), ['c', 'd', 'e']);
    assert.deepEqual(names(withRestarted(services, 'c')), ['a', 'b', 'c']);
  });
});
