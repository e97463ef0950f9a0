// The entry point of `npm run bench`: measures the parts named on the command line, or all of them, and
// prints the table. Starts engines and VS Code as needed and stops them afterwards.
import { parseArgs } from 'node:util';
import { runPart } from './benchmark.ts';
import { PARTS } from './parts.ts';

// The channel closes when the parent script exits. What is still running then ends with this process.
process.once('disconnect', () => process.exit(130));
process.channel?.unref();
const { values, positionals: named } = parseArgs({
  allowPositionals: true,
  options: { minutes: { type: 'string', default: '10' } },
});
for (const [name, part] of Object.entries(PARTS))
  if (named.length === 0 || named.includes(name))
    await runPart(part, { minutes: Number(values.minutes) });
