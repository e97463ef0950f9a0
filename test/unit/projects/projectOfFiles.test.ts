import assert from 'node:assert/strict';
import { projectsOfEngines, projectsOfFiles } from '../../../src/projects/projectOfFiles.ts';
import { container } from '../inventory/support/nouns.ts';

describe('projects/projectOfFiles', () => {
  const shop = container('a', {
    labels: {
      'com.docker.compose.project': 'shop',
      'com.docker.compose.config-hash': 'hash',
      'com.docker.compose.service': 'web',
      'com.docker.compose.project.config_files': 'C:\\shop\\compose.yaml,C:\\shop\\dev.yaml',
    },
  });
  const cases: readonly (readonly [files: readonly string[], project: string | undefined])[] = [
    [['C:\\shop\\compose.yaml', 'C:\\shop\\dev.yaml'], 'shop'],
    [['c:\\shop\\compose.yaml', 'c:\\shop\\dev.yaml'], 'shop'],
    [['c:\\Shop\\compose.yaml', 'c:\\Shop\\dev.yaml'], undefined],
    [['c:\\shop\\compose.yaml'], undefined],
  ];
  for (const [files, project] of cases) {
    it(`finds ${project ?? 'no project'} of ${files.join(' and ')}`, () => {
      assert.deepEqual(projectsOfFiles(files, [shop]), project === undefined ? [] : [project]);
    });
  }

  it('finds all projects of the same files', () => {
    const labels = { ...shop.labels, 'com.docker.compose.project': 'prod' };
    const files = ['C:\\shop\\compose.yaml', 'C:\\shop\\dev.yaml'];
    assert.deepEqual(projectsOfFiles(files, [shop, container('b', { labels })]), ['prod', 'shop']);
  });

  it('finds the projects of each engine that were created from a file and others', () => {
    const labels = { ...shop.labels, 'com.docker.compose.project': 'prod' };
    const prod = container('b', { labels });
    const engines = [
      ['one', [shop, prod]],
      ['two', [prod]],
      ['three', []],
    ] as const;
    const found = (file: string): readonly string[] =>
      projectsOfEngines(file, engines).map(({ engine, project }) => `${engine} ${project.name}`);
    assert.deepEqual(found('c:\\shop\\dev.yaml'), ['one prod', 'one shop', 'two prod']);
    assert.deepEqual(found('c:\\shop\\prod.yaml'), []);
  });
});
