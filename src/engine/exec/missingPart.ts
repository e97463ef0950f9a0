/**
 * Returns what is missing in a container according to an engine that refused to start a process; undefined if its
 * message says something else. Engines have no code for it.
 */
export function missingPart(message: string): 'program' | 'user' | 'folder' | undefined {
  if (/unable to find (?:user|group) /i.test(message)) return 'user';
  const isFolder = /\b(?:chdir|cwd)\b/i.test(message);
  if (isFolder) return /no such file|not a directory/i.test(message) ? 'folder' : undefined;
  return /executable file|no such file/i.test(message) ? 'program' : undefined;
}
