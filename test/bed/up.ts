// Starts the bed for manual work and keeps it running: node test/bed/up.ts docker|podman|both
// Prints the variables that the suites read, and writes them to .bed/env-docker and .bed/env-podman.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeBed, type Bed } from './bed.ts';
import type { EngineKind } from './engines.ts';
import { bedVariables } from './env.ts';

const OUT = join(import.meta.dirname, '../../.bed');

function kindsWanted(word: string | undefined): EngineKind[] {
  if (word === 'both') return ['docker', 'podman'];
  if (word === 'docker' || word === 'podman') return [word];
  console.error('Usage: node test/bed/up.ts docker|podman|both');
  process.exit(2);
}

function announce({ facts }: Bed): string {
  const lines = Object.entries(bedVariables(facts)).map(([name, value]) => {
    return `export ${name}='${value}'\n`;
  });
  mkdirSync(OUT, { recursive: true });
  const file = join(OUT, `env-${facts.kind}`);
  writeFileSync(file, lines.join(''));
  process.stdout.write(lines.join(''));
  return file;
}

async function stopAll(beds: readonly Bed[], files: readonly string[]): Promise<void> {
  for (const file of files) rmSync(file, { force: true });
  await Promise.all(beds.map(({ engine }) => engine.stop()));
  process.exit(0);
}

const beds = await Promise.all(kindsWanted(process.argv[2]).map((kind) => makeBed(kind)));
const files = beds.map(announce);
const busy = setInterval(() => undefined, 60_000);
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.once(signal, () => {
    clearInterval(busy);
    void stopAll(beds, files);
  });
console.log('# up; stop it with Ctrl-C');
