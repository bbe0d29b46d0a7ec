// A trace as a picture for people: a line for each EPC, time from left to right, and a mark where an event has the EPC; events of
// several EPCs join their lines. Only shapes and text: no script, nothing from elsewhere.
import { xmlText } from '../http/xml-text.ts';
import type { EpcNode, EventNode, TraceGraph } from './trace-graph.ts';

const LEFT = 330;
const STEP = 46;
const ROW = 34;
const TOP = 30;
const BOTTOM = 170;

/** The policy under which the picture works: its own style, and nothing else. */
export const PICTURE_POLICY = "default-src 'none'; style-src 'unsafe-inline'";

const STYLE = `
svg { background: #fff; color: #1b1f24; font: 12px system-ui, sans-serif }
.life { stroke: #8c959f; stroke-width: 2 } .join { stroke: #0969da; stroke-width: 1.5 } .first { font-weight: bold }
text { fill: currentColor } .mark { fill: #0969da } .TransformationEvent { fill: #9a3ebf } .DELETE { fill: #bc4c00 } .note { fill: #bc4c00 }
@media (prefers-color-scheme: dark) { svg { background: #0d1117; color: #e6edf3 } }`;

export function drawTrace({ epc, nodes, edges, bounded }: TraceGraph): string {
  const epcs = nodes.filter((node): node is EpcNode => node.kind === 'epc');
  const events = nodes.filter((node): node is EventNode => node.kind === 'event');
  const rowOf = new Map(epcs.map(({ id }, n) => [id, TOP + n * ROW]));
  const columnOf = new Map(events.map(({ id }, n) => [id, LEFT + 20 + n * STEP]));
  const marks = edges.map(({ from, to }) => ({
    event: columnOf.has(from) ? from : to,
    x: columnOf.get(from) ?? columnOf.get(to) ?? 0,
    y: rowOf.get(from) ?? rowOf.get(to) ?? 0,
  }));
  const width = LEFT + 40 + events.length * STEP + 80;
  const axis = TOP + epcs.length * ROW;
  const lives = epcs.map((node) => {
    const y = rowOf.get(node.id) ?? 0;
    const xs = marks.filter((mark) => mark.y === y).map(({ x }) => x);
    const label = `<text class="${node.epc === epc ? 'first' : 'epc'}" x="8" y="${y + 4}">${xmlText(shortened(node.epc))}</text>`;
    return `<g><title>${xmlText(node.epc)}</title>${label}${line('life', Math.min(...xs), y, Math.max(...xs), y)}</g>`;
  });
  const drawn = events.map((event) => {
    const x = columnOf.get(event.id) ?? 0;
    const ys = marks.filter((mark) => mark.event === event.id).map(({ y }) => y);
    const dots = ys.map((y) => mark(event, x, y));
    const text = `${event.eventTime.slice(0, 16).replace('T', ' ')} ${event.bizStep ?? event.action ?? event.type}`;
    return (
      `<g><title>${xmlText(titleOf(event))}</title>${line('join', x, Math.min(...ys), x, Math.max(...ys))}${dots.join('')}` +
      `<text x="${x}" y="${axis + 8}" transform="rotate(50 ${x} ${axis + 8})">${xmlText(shortened(text, 34))}</text></g>`
    );
  });
  const note =
    bounded === undefined ? '' : `<text class="note" x="8" y="16">Not all of it: ${xmlText(bounded)}.</text>`;
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${axis + BOTTOM}" role="img">` +
    `<title>The life of ${xmlText(epc)}</title><style>${STYLE}</style>${note}${lives.join('')}${drawn.join('')}</svg>`
  );
}

function line(name: string, x1: number, y1: number, x2: number, y2: number): string {
  return `<line class="${name}" x1="${x1}" y1="${y1}" x2="${x2}" y2="${y2}"/>`;
}

/** A transformation is a square: what goes in does not come out. */
function mark({ type, action }: EventNode, x: number, y: number): string {
  const names = ['mark', type, action].filter((name) => /^\w+$/.test(name ?? '')).join(' ');
  if (type === 'TransformationEvent')
    return `<rect class="${names}" x="${x - 6}" y="${y - 6}" width="12" height="12"/>`;
  return `<circle class="${names}" cx="${x}" cy="${y}" r="6"/>`;
}

function titleOf({ type, action, bizStep, disposition, eventTime, readPoint, bizLocation }: EventNode): string {
  return [type, action, bizStep, disposition, eventTime, readPoint, bizLocation].filter(Boolean).join('\n');
}

/** The end of an identifier says more than its beginning. */
function shortened(text: string, most = 46): string {
  return text.length <= most ? text : `…${text.slice(1 - most)}`;
}
