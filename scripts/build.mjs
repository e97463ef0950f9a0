// `npm run build`: builds `dist`, unless it is up to date. With --watch, builds again after each change.
import { buildRecord } from './buildRecord.mjs';
import { root } from './install.mjs';

process.chdir(root);
const record = buildRecord('.');
if (process.argv.includes('--watch')) {
  const { watchAll } = await import('./buildAll.mjs');
  await watchAll();
} else if (!record.isUpToDate()) {
  const { buildAll } = await import('./buildAll.mjs');
  record.write(await buildAll());
}
