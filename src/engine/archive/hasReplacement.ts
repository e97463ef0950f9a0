/** Whether text has the character that takes the place of what is not UTF-8. */
export function hasReplacement(text: string): boolean {
  return text.includes('\uFFFD');
}
