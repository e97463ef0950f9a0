import fc from 'fast-check';

const FIRST_SURROGATE = 0xd800;
const SURROGATES = 0x800;

/**
 * Any character of Unicode as the unit of a text. Unlike `binary` of fast-check, it needs no table of a million
 * characters, which takes two seconds to make.
 */
export const codePoint = fc
  .integer({ min: 0, max: 0x10_ffff - SURROGATES })
  .map((index) => String.fromCodePoint(index < FIRST_SURROGATE ? index : index + SURROGATES));
