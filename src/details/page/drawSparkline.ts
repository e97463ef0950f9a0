import { SPARK_HEIGHT, SPARK_WIDTH, sparklinePaths, type SparkPoint } from '../sparklinePaths.ts';

/**
 * Draws values over time as a line and the area below it, without axes. The style sheet of the page has the colors: of
 * `.spark-line` and `.spark-area`.
 *
 * @param svg gets two paths; its `viewBox` is set.
 * @param points oldest first. A value that is undefined, or not finite, breaks the line.
 * @param most the value at the upper edge at least: a limit, or what is a lot.
 */
export function drawSparkline(
  svg: SVGSVGElement,
  points: readonly SparkPoint[],
  most: number,
): void {
  const { line, area } = sparklinePaths(points, most);
  svg.setAttribute('viewBox', `0 0 ${SPARK_WIDTH} ${SPARK_HEIGHT}`);
  svg.setAttribute('preserveAspectRatio', 'none');
  pathIn(svg, 'spark-area').setAttribute('d', area);
  const drawn = pathIn(svg, 'spark-line');
  drawn.setAttribute('d', line);
  // As wide in each direction, however the graph is stretched.
  drawn.setAttribute('vector-effect', 'non-scaling-stroke');
}

function pathIn(svg: SVGSVGElement, name: string): Element {
  const known = svg.querySelector(`.${name}`);
  if (known) return known;
  const path = document.createElementNS('http://www.w3.org/2000/svg', 'path');
  path.setAttribute('class', name);
  svg.append(path);
  return path;
}
