/**
 * Script that runs in the page before its own script. It replaces VS Code's webview API and lets tests read the page.
 */
export const BRIDGE = String.raw`
(() => {
  const theme = THEME;
  globalThis.acquireVsCodeApi = () => ({
    postMessage: (message) => void globalThis.tellHost(JSON.stringify(message)),
    getState: () => JSON.parse(sessionStorage.getItem(location.search) ?? 'null'),
    setState: (state) => sessionStorage.setItem(location.search, JSON.stringify(state)),
  });
  globalThis.setTheme = ({ kind, colors }) => {
    for (const name of [...document.documentElement.style]) document.documentElement.style.removeProperty(name);
    for (const [name, value] of Object.entries(colors)) {
      document.documentElement.style.setProperty('--vscode-' + name, value);
    }
    document.body.className = kind;
  };
  globalThis.hear = (messages) => {
    for (const message of messages) window.postMessage(message, '*');
  };
  globalThis.probe = () => {
    const log = document.querySelector('.log');
    if (!log) return undefined;
    const box = log.getBoundingClientRect();
    const bottom = box.top + log.clientHeight;
    const rows = [];
    for (const line of log.querySelectorAll('.row, .head')) {
      const place = line.getBoundingClientRect();
      if (place.bottom <= box.top || place.top >= bottom) continue;
      rows.push({
        index: Number(line.getAttribute('aria-rowindex') ?? 0) - 1,
        text: (line.querySelector('.content') ?? line).textContent,
        top: place.top - box.top,
        height: place.height,
        classes: line.className,
      });
    }
    const selection = CSS.highlights.get('selection');
    return {
      rows,
      laidOut: log.querySelectorAll('.row').length,
      scrollTop: log.scrollTop,
      scrollHeight: log.scrollHeight,
      height: log.clientHeight,
      selected: [...(selection ?? [])].map(String),
      active: document.getElementById(log.getAttribute('aria-activedescendant') ?? '')?.textContent,
      focus: document.activeElement?.outerHTML.slice(0, 200),
    };
  };
  globalThis.scrollLog = (to) => {
    document.querySelector('.log').scrollTop = to;
  };
  document.addEventListener('DOMContentLoaded', () => globalThis.setTheme(theme));
})();
`;
