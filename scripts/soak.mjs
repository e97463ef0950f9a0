// `npm run soak`: 30 minutes of containers starting and exiting, with one disconnect per minute, on an engine
// of its own. `npm run soak -- --minutes 5` sets another duration. Runs on Node 20, without dependencies.
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { provideParts } from '../test/bed/system.mjs';
import { installPackages } from './install.mjs';
import { endRun, runEnvironment } from './own-run.mjs';
import { supervise } from './supervise.mjs';

const [flag, value, ...rest] = process.argv.slice(2);
const minutes = flag === undefined ? 30 : Number(value);
if (
  (flag !== undefined && flag !== '--minutes') ||
  rest.length > 0 ||
  !(minutes > 0 && minutes <= 40)
) {
  console.error('Usage: npm run soak [-- --minutes NUMBER], up to 40');
  process.exit(2);
}

/** @param {string} line */
const log = (line) => console.log(line);

const missing = await provideParts(['docker', 'registry'], log);
for (const { what, how } of missing) log(`${what} is missing. ${how}`);
if (missing.length > 0) process.exit(1);
await installPackages(log);
const folder = mkdtempSync(join(tmpdir(), 'gantry-run-'));
const environment = { ...runEnvironment(folder), GANTRY_SOAK_MINUTES: String(minutes) };
const { code } = await supervise(['test/bed/runner.ts', 'soak'], environment);
process.exitCode = code || (await endRun(folder, log));
