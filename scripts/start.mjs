// `npm start`: installs the requirements, builds, and opens VS Code with Gantry on an existing engine or on a
// throwaway one. session.ts does the work; this part runs on a plain Node 20.
import { fullPath } from '../test/bed/system.mjs';
import { installPackages } from './install.mjs';
import { supervise } from './supervise.mjs';

await installPackages((line) => console.log(line));
const env = { ...process.env, PATH: fullPath() };
const { code } = await supervise(['scripts/session.ts'], env);
process.exitCode = code;
