// Takes the screenshot of the README, in a real VS Code with a real engine: node test/editor/screenshot.ts
import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startDocker, type BedEngine } from '../bed/engines.ts';
import { askWell } from '../bed/http.ts';
import { busyboxTar } from '../bed/images.ts';
import { tar } from '../bed/tar.ts';
import { openWorkbench, type Editor } from './harness.ts';
import { Lab } from './ui/lab.ts';
import { says } from './ui/seen.ts';

const PICTURE = join(import.meta.dirname, '../../media/screenshot.png');
const DAY = 86_400_000;

/** Name, age in days, size in megabytes. */
const IMAGES = [
  ['acme/api:2.4.0', 2, 61],
  ['acme/worker:2.4.0', 2, 58],
  ['axllent/mailpit:v1.27', 19, 32],
  ['nginx:1.29-alpine', 12, 52],
  ['postgres:17-alpine', 33, 94],
  ['redis:8-alpine', 40, 28],
] as const;

const LOG = [
  'INFO  config   12 settings read, 3 from the environment',
  'INFO  db       connected to postgres 17.2 at db:5432, pool of 10',
  'INFO  cache    connected to redis 8.0 at cache:6379',
  'INFO  migrate  schema is at 0042_order_notes, nothing to do',
  'INFO  http     listening on 0.0.0.0:3000',
  'INFO  http     GET  /api/products?page=1        200   18 ms',
  'INFO  http     GET  /api/products/4711          200    6 ms',
  'INFO  http     POST /api/cart                   201   11 ms',
  'WARN  stock    product 4711: 2 left, reorder level is 10',
  'INFO  http     POST /api/orders                 201   47 ms',
  'INFO  queue    order 100482 handed to worker',
];

const COMPOSE = `services:
  web:
    image: nginx:1.29-alpine
    ports: ["8080:80"]
    depends_on: [api]

  api:
    image: acme/api:2.4.0
    ports: ["3000:3000"]
    environment:
      DATABASE_URL: postgres://db/shop
    healthcheck:
      test: wget -qO- localhost:3000/health

  worker:
    image: acme/worker:2.4.0

  db:
    image: postgres:17-alpine
    volumes: ["data:/var/lib/postgresql/data"]

volumes:
  data:
`;

/** Builds an image archive as `docker save` writes it: the bed's programs, and a file that gives it the size. */
function archive(name: string, days: number, megabytes: number): Buffer {
  const filler = tar([{ name: 'filler', kind: 'file', data: Buffer.alloc(megabytes * 1_000_000) }]);
  const layers = [busyboxTar(), filler];
  const config = JSON.stringify({
    architecture: 'amd64',
    os: 'linux',
    created: new Date(Date.now() - days * DAY).toISOString(),
    config: { Cmd: ['sh'] },
    rootfs: {
      type: 'layers',
      diff_ids: layers.map((one) => `sha256:${createHash('sha256').update(one).digest('hex')}`),
    },
  });
  const Layers = layers.map((_, index) => `${index}.tar`);
  const manifest = JSON.stringify([{ Config: 'config.json', RepoTags: [name], Layers }]);
  return tar([
    { name: 'manifest.json', kind: 'file', data: Buffer.from(manifest) },
    { name: 'config.json', kind: 'file', data: Buffer.from(config) },
    ...layers.map((data, index) => ({ name: Layers[index]!, kind: 'file', data }) as const),
  ]);
}

/** Loads images that look like those of a real project. */
export async function loadImages(engine: BedEngine): Promise<void> {
  for (const [name, days, megabytes] of IMAGES) {
    const how = { body: archive(name, days, megabytes), type: 'application/x-tar' };
    await askWell(engine.socket, 'POST', '/images/load', how);
  }
}

/** Starts a container of the compose project. */
async function service(lab: Lab, name: string, image: string, more: object): Promise<void> {
  const labels = {
    'com.docker.compose.project': 'shop',
    'com.docker.compose.config-hash': 'hash',
    'com.docker.compose.service': name,
    'com.docker.compose.container-number': '1',
  };
  await container(lab, `shop-${name}-1`, image, { Labels: labels, ...more });
  await lab.start(`shop-${name}-1`);
}

async function container(lab: Lab, name: string, image: string, more: object): Promise<void> {
  const body = { Image: image, Cmd: ['sleep', '100000'], StopSignal: 'SIGKILL', ...more };
  await lab.ask('POST', `/containers/create?name=${name}`, body);
}

const health = (test: string): object => ({
  Healthcheck: { Test: ['CMD-SHELL', test], Interval: 1e9, Retries: 1 },
});

const published = (outside: number, inside: number): object => ({
  ExposedPorts: { [`${inside}/tcp`]: {} },
  HostConfig: { PortBindings: { [`${inside}/tcp`]: [{ HostPort: String(outside) }] } },
});

async function fill(lab: Lab): Promise<void> {
  const started = Date.now();
  const lines = LOG.map((line, index) => {
    const time = new Date(started + index * 731).toISOString();
    return `echo '${time}  ${line}'`;
  }).join('\n');
  const talking = { Cmd: ['sh', '-c', `${lines}\nexec sleep 100000`] };
  await service(lab, 'api', 'acme/api:2.4.0', {
    ...talking,
    ...health('true'),
    ...published(3000, 3000),
  });
  await service(lab, 'db', 'postgres:17-alpine', health('true'));
  await service(lab, 'web', 'nginx:1.29-alpine', published(8080, 80));
  await service(lab, 'worker', 'acme/worker:2.4.0', health('false'));
  await container(lab, 'mailpit', 'axllent/mailpit:v1.27', published(8025, 8025));
  await lab.start('mailpit');
  await container(lab, 'cache', 'redis:8-alpine', {});
  await lab.start('cache');
  await lab.ask('POST', '/containers/cache/pause');
  for (const [name, status] of [
    ['seed-data', 0],
    ['nightly-export', 1],
  ] as const) {
    await container(lab, name, 'acme/worker:2.4.0', { Cmd: ['sh', '-c', `exit ${status}`] });
    await lab.start(name);
  }
  await container(lab, 'api-next', 'acme/api:2.4.0', {});
}

/** Longer than the first minutes, in which every row counts seconds. */
const OLD_ENOUGH_MS = 125_000;

async function show({ page, workbench }: Editor): Promise<void> {
  await workbench.openView('Gantry');
  await says(workbench, 'Containers', 'api', /^healthy/);
  await page.keyboard.press('ControlOrMeta+p');
  await workbench.quick.box.fill('compose.yaml');
  await workbench.quick.row('compose.yaml').click();
  await workbench.page.getByRole('tab', { name: 'compose.yaml' }).waitFor();
  await page.waitForTimeout(OLD_ENOUGH_MS);
  await workbench.inlineAction(workbench.row('api', 'Containers'), 'Show Logs');
  await workbench.output.says('handed to worker');
  await workbench.select(workbench.row('api', 'Containers'));
  await page.mouse.move(800, 300);
  await workbench.notices.clear();
  await workbench.shot('readme');
  await page.screenshot({ path: PICTURE });
}

async function main(): Promise<void> {
  const folder = join(mkdtempSync(join(tmpdir(), 'gantry-picture-')), 'shop');
  mkdirSync(folder);
  writeFileSync(join(folder, 'compose.yaml'), COMPOSE);
  const engine = await startDocker();
  try {
    await loadImages(engine);
    await fill(new Lab({ socket: engine.socket, image: 'acme/api:2.4.0' }));
    const settings = { 'editor.minimap.enabled': false, 'editor.fontSize': 13 };
    const editor = await openWorkbench({ dockerHost: engine.url, folder, settings, width: 340 });
    try {
      await show(editor);
    } finally {
      await editor.close();
    }
  } finally {
    await engine.stop();
    rmSync(join(folder, '..'), { recursive: true, force: true });
  }
}

if (import.meta.main) await main();
