// `npm start`: installs what is needed, builds, and opens VS Code with Gantry on the engine that is
// there or on a throwaway one. The work is in session.ts; this much runs on a bare Node 20.
import { fullPath } from '../test/bed/system.mjs';
import { installPackages } from './install.mjs';
import { supervise } from './supervise.mjs';

await installPackages((line) => {
  console.log(line);
});
const env = { ...process.env, PATH: fullPath() };
const { code } = await supervise(['scripts/session.ts'], env);
process.exitCode = code;
