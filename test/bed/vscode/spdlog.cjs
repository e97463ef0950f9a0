/* oxlint-disable typescript/no-require-imports -- VS Code loads it in place of a CommonJS module */
// Replaces the module `@vscode/spdlog`, which writes VS Code's log files and the texts of output channels: compiling it
// takes half a minute. Like that one, writes every message at once, and begins a new file when one is full.
const {
  closeSync,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  renameSync,
  writeSync,
} = require('node:fs');
const path = require('node:path');

const LEVELS = ['trace', 'debug', 'info', 'warning', 'error', 'critical'];
const INFO = 2;

/** A log file. */
class Logger {
  /** @type {string} */
  #path;
  #mostBytes;
  #mostFiles;
  /** @type {number | undefined} */
  #file;
  #size = 0;
  #level = INFO;
  #isPlain = false;

  /** @param {string} file @param {number} mostBytes @param {number} mostFiles older files in addition to this one */
  constructor(file, mostBytes, mostFiles) {
    this.#path = file;
    this.#mostBytes = mostBytes;
    this.#mostFiles = mostFiles;
    this.#open();
  }

  trace = this.#writer(0);
  debug = this.#writer(1);
  info = this.#writer(2);
  warn = this.#writer(3);
  error = this.#writer(4);
  critical = this.#writer(5);

  getLevel() {
    return this.#level;
  }

  /** @param {number} level */
  setLevel(level) {
    this.#level = level;
  }

  /** Messages get the time and their level. VS Code uses a single pattern. */
  setPattern() {
    this.#isPlain = false;
  }

  /** Messages are written as they are. */
  clearFormatters() {
    this.#isPlain = true;
  }

  /** Every message has already been written. */
  flush() {
    return undefined;
  }

  drop() {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }

  #open() {
    this.#file = openSync(this.#path, 'a');
    this.#size = fstatSync(this.#file).size;
  }

  /** @param {number} level @returns {(message: string) => void} */
  #writer(level) {
    return (message) => {
      if (level >= this.#level) this.#write(this.#isPlain ? message : formatted(message, level));
    };
  }

  /** @param {string} text */
  #write(text) {
    const bytes = Buffer.from(text);
    if (this.#size > 0 && this.#size + bytes.length > this.#mostBytes) this.#rotate();
    if (this.#file === undefined) return;
    for (let at = 0; at < bytes.length;) at += writeSync(this.#file, bytes, at);
    this.#size += bytes.length;
  }

  #rotate() {
    this.drop();
    for (let number = this.#mostFiles; number > 0; number--) {
      const newer = this.#numbered(number - 1);
      if (existsSync(newer)) renameSync(newer, this.#numbered(number));
    }
    this.#open();
  }

  /** @param {number} number @returns {string} */
  #numbered(number) {
    if (number === 0) return this.#path;
    const extension = path.extname(this.#path);
    return `${this.#path.slice(0, -extension.length)}.${number}${extension}`;
  }
}

/** @param {string} message @param {number} level */
function formatted(message, level) {
  const now = new Date();
  const local = new Date(now.getTime() - now.getTimezoneOffset() * 60_000).toISOString();
  return `${local.slice(0, -1).replace('T', ' ')} [${LEVELS[level] ?? ''}] ${message}\n`;
}

/** @param {string} _name @param {string} file @param {number} mostBytes @param {number} mostFiles */
function createLogger(_name, file, mostBytes, mostFiles) {
  mkdirSync(path.dirname(file), { recursive: true });
  return Promise.resolve(new Logger(file, mostBytes, mostFiles));
}

exports.Logger = Logger;
exports.createRotatingLogger = createLogger;
exports.createAsyncRotatingLogger = createLogger;
/** Every message is written at once. */
exports.setFlushOn = () => undefined;
exports.setLevel = () => undefined;
