/**
 * The askpass helper of ssh: a separate process that passes the prompt to the extension and prints the answer.
 * Exits with code 1 if there is no answer.
 */
import { connect } from 'node:net';

function main(): void {
  const { env, argv } = process;
  const prompt = argv[2] ?? '';
  const message = {
    secret: env['GANTRY_ASKPASS_SECRET'] ?? '',
    prompt,
    hint: env['SSH_ASKPASS_PROMPT'] ?? '',
  };
  const socket = connect(env['GANTRY_ASKPASS_SOCKET'] ?? '');
  let reply = '';
  process.exitCode = 1;
  socket.on('error', () => undefined);
  socket.setEncoding('utf8').on('data', (text: string) => (reply += text));
  socket.once('end', () => {
    const answer = answerIn(reply);
    if (answer === undefined) return;
    process.exitCode = 0;
    process.stdout.write(`${answer}\n`);
  });
  socket.write(`${JSON.stringify(message)}\n`);
}

function answerIn(reply: string): string | undefined {
  if (!reply.endsWith('\n')) return undefined;
  const { answer } = JSON.parse(reply) as { readonly answer?: unknown };
  return typeof answer === 'string' ? answer : undefined;
}

main();
