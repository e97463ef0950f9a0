/** Minimum contrast between a text and its background, by WCAG 2 AA. */
const LEAST = 4.5;

/**
 * JavaScript expression for the page. Returns the texts with too little contrast to their background, each with
 * its contrast and class.
 */
export const FAINT_TEXTS = String.raw`
(() => {
  const context = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
  const rgba = (color) => {
    context.clearRect(0, 0, 1, 1);
    context.fillStyle = color;
    context.fillRect(0, 0, 1, 1);
    return [...context.getImageData(0, 0, 1, 1).data];
  };
  const over = (color, ground) => {
    const share = color[3] / 255;
    return ground.map((part, index) => color[index] * share + part * (1 - share));
  };
  const chain = (element) => (element ? [element, ...chain(element.parentElement)] : []);
  const groundOf = (element) =>
    chain(element).reduceRight((below, one) => over(rgba(getComputedStyle(one).backgroundColor), below), [255, 255, 255]);
  const luminance = (color) => {
    const [red, green, blue] = color.map((part) => {
      const share = part / 255;
      return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const contrastOf = (element) => {
    const ground = groundOf(element);
    const color = rgba(getComputedStyle(element).color);
    color[3] *= chain(element).reduce((share, one) => share * Number(getComputedStyle(one).opacity), 1);
    const [low, high] = [luminance(over(color, ground)), luminance(ground)].sort((a, b) => a - b);
    return (high + 0.05) / (low + 0.05);
  };
  const hasText = (element) =>
    [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim() !== '');
  return [...document.querySelectorAll('body *:not(script, style, .unseen, :disabled)')]
    .filter((element) => hasText(element) && element.checkVisibility())
    .map((element) => [contrastOf(element), element])
    .filter(([contrast]) => contrast < ${LEAST})
    .map(([contrast, element]) => contrast.toFixed(1) + ' ' + element.className + ': ' + element.textContent.slice(0, 40));
})()
`;
