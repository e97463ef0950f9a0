import { TextDecoder } from 'node:util';
import { OutputFrames } from '../../engine/wire/outputFrames.ts';

/**
 * Returns a decoder for chunks of output. An incomplete character is held until the rest arrives.
 *
 * @param hasTty with a TTY, output is raw. Without one, it is multiplexed in frames, and line feeds are
 * converted to CR LF for the terminal.
 */
export function outputText(hasTty: boolean): (chunk: Uint8Array) => string {
  // One decoder per stream: a frame of the other stream may come in the middle of a character.
  const decoders = { stdout: new TextDecoder(), stderr: new TextDecoder() };
  if (hasTty) return (chunk) => decoders.stdout.decode(chunk, { stream: true });
  const frames = new OutputFrames();
  return (chunk) =>
    frames
      .push(chunk)
      .map(({ source, bytes }) => decoders[source].decode(bytes, { stream: true }))
      .join('')
      .replace(/\r?\n/g, '\r\n');
}
