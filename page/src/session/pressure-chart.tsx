import { useComputedColorScheme } from '@mantine/core';
import { useEffect, useRef } from 'react';
import uPlot from 'uplot';
import type { Stage } from '../api/types';
import { counted, percent } from '../parts/format';
import type { Timeline } from './timeline';

/** The margin left of the plot, for its scale. The firing strip below uses the same margin. */
export const MARGIN_LEFT = 104;
export const MARGIN_RIGHT = 14;
const HEIGHT = 140;
/** A higher reading is an arrow with a figure at the edge, because its true height would flatten the curve. */
const MAX_DRAWN = 1.3;

interface ChartProps {
  readonly timeline: Timeline;
  readonly gates: readonly Stage[];
  /** The call that the page shows. */
  readonly shownCall: number | undefined;
  readonly onCall: (call: number) => void;
}

/** The pressure of each call as it was sent, and how far each compaction lowered it. */
export function PressureChart({ timeline, gates, shownCall, onCall }: ChartProps) {
  const place = useRef<HTMLDivElement>(null);
  const scheme = useComputedColorScheme('light');
  const choose = useRef(onCall);
  useEffect(() => {
    choose.current = onCall;
  }, [onCall]);
  useEffect(() => {
    const room = place.current;
    if (!room) return undefined;
    const plot = new uPlot(
      optionsOf(room, timeline, gates, shownCall, (call) => choose.current(call)),
      dataOf(timeline),
      room,
    );
    const watch = new ResizeObserver(() => plot.setSize({ width: room.clientWidth, height: HEIGHT }));
    watch.observe(room);
    return () => {
      watch.disconnect();
      plot.destroy();
    };
  }, [timeline, gates, shownCall, scheme]);
  return <div ref={place} className="plot" role="img" aria-label={chartText(timeline)} />;
}

function chartText({ calls, fired }: Timeline): string {
  const newest = calls.at(-1);
  const highest = Math.max(0, ...calls.map(({ pressure }) => pressure), ...fired.map(({ before }) => before));
  return `Pressure of ${counted(calls.length, 'call')}; the newest was sent at ${percent(newest?.pressure ?? 0)}, the highest reading was ${percent(highest)}, ${counted(fired.length, 'compaction')}.`;
}

const drawnAt = (pressure: number): number => Math.min(pressure, MAX_DRAWN);

function dataOf({ calls, fired, first, last }: Timeline): uPlot.AlignedData {
  const numbers = Array.from({ length: last - first + 1 }, (_, i) => first + i);
  const sent = new Map(calls.map(({ call, pressure }) => [call, drawnAt(pressure)]));
  const peaks = new Map<number, number>();
  for (const { call, before } of fired) peaks.set(call, drawnAt(Math.max(before, peaks.get(call) ?? 0)));
  return [
    numbers,
    numbers.map((call) => sent.get(call) ?? null),
    numbers.map((call) => peaks.get(call) ?? null),
  ];
}

function optionsOf(
  room: HTMLElement,
  { calls, fired }: Timeline,
  gates: readonly Stage[],
  shown: number | undefined,
  onCall: (call: number) => void,
): uPlot.Options {
  const style = getComputedStyle(document.documentElement);
  const ink = (name: string): string => style.getPropertyValue(name).trim();
  const tops = [...calls.map(({ pressure }) => pressure), ...fired.map(({ before }) => before)];
  const highest = drawnAt(Math.max(1, ...tops));
  const axis = {
    stroke: ink('--ink-soft'),
    font: '11px system-ui, sans-serif',
    ticks: { show: false },
    grid: { show: false },
  };
  return {
    width: room.clientWidth,
    height: HEIGHT,
    padding: [8, MARGIN_RIGHT, 0, 0],
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, points: { size: 7 } },
    scales: { x: { time: false }, y: { range: [0, highest * 1.05] } },
    axes: [
      { ...axis, size: 22, gap: 4, incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 5_000, 10_000] },
      {
        ...axis,
        size: MARGIN_LEFT,
        splits: () => [0, 0.25, 0.5, 0.75, 1],
        values: (_, splits) => splits.map((share) => `${Math.round(share * 100)}%`),
        grid: { show: true, stroke: ink('--line'), width: 1 },
      },
    ],
    series: [
      {},
      {
        label: 'sent',
        stroke: ink('--accent'),
        width: 1.6,
        fill: ink('--accent-soft'),
        points: { show: calls.length < 80, size: 4, fill: ink('--accent') },
      },
      {
        label: 'before compaction',
        paths: () => null,
        stroke: ink('--ink-soft'),
        points: { show: true, size: 5, fill: ink('--surface'), stroke: ink('--ink-soft'), width: 1.2 },
      },
    ],
    hooks: {
      drawAxes: [(plot) => drawGates(plot, gates, ink('--line-strong'))],
      draw: [
        (plot) => drawFalls(plot, fired, ink('--ink-soft')),
        (plot) =>
          drawClipped(
            plot,
            [...calls, ...fired.map(({ call, before }) => ({ call, pressure: before }))],
            ink('--bad'),
          ),
        (plot) => shown !== undefined && drawShown(plot, shown, ink('--ink')),
      ],
      ready: [(plot) => plot.over.addEventListener('click', () => openCall(plot, onCall))],
      setCursor: [(plot) => setTooltip(plot, calls, fired)],
    },
  };
}

function openCall(plot: uPlot, onCall: (call: number) => void): void {
  const { idx } = plot.cursor;
  if (typeof idx === 'number') onCall(plot.data[0][idx]!);
}

/** The browser's own tooltip: the call, its pressure, and the compactions before it. */
function setTooltip(plot: uPlot, calls: Timeline['calls'], fired: Timeline['fired']): void {
  const { idx } = plot.cursor;
  const number = typeof idx === 'number' ? plot.data[0][idx] : undefined;
  const call = calls.find((one) => one.call === number);
  const done = fired.filter((one) => one.call === number);
  const sent = call ? [`Call ${call.call}: sent at ${percent(call.pressure)}, ${call.tokens} tokens.`] : [];
  const fell = done.map(
    ({ record, before, after }) => `${record.id} before it: ${percent(before)} to ${percent(after)}.`,
  );
  plot.over.title = [...sent, ...fell, ...(call ? ['Click to see the context of that call.'] : [])].join(
    '\n',
  );
}

function drawGates({ ctx, bbox, valToPos }: uPlot, gates: readonly Stage[], stroke: string): void {
  ctx.save();
  ctx.strokeStyle = stroke;
  ctx.lineWidth = devicePixelRatio;
  ctx.setLineDash([3 * devicePixelRatio, 3 * devicePixelRatio]);
  for (const { opensAt } of gates) {
    if (opensAt === undefined) continue;
    const y = Math.round(valToPos(opensAt, 'y', true)) + 0.5;
    ctx.beginPath();
    ctx.moveTo(bbox.left, y);
    ctx.lineTo(bbox.left + bbox.width, y);
    ctx.stroke();
  }
  ctx.restore();
}

function drawFalls({ ctx, valToPos }: uPlot, fired: Timeline['fired'], stroke: string): void {
  ctx.save();
  ctx.strokeStyle = stroke;
  ctx.lineWidth = 1.2 * devicePixelRatio;
  for (const { call, before, after, record } of fired) {
    if (record.status === 'undone') continue;
    const x = Math.round(valToPos(call, 'x', true)) + 0.5;
    ctx.beginPath();
    ctx.moveTo(x, valToPos(drawnAt(before), 'y', true));
    ctx.lineTo(x, valToPos(after, 'y', true));
    ctx.stroke();
  }
  ctx.restore();
}

/** An arrow and a figure for each reading higher than the chart. If figures would overlap, only the first is drawn. */
function drawClipped(
  { ctx, bbox, valToPos }: uPlot,
  readings: readonly { readonly call: number; readonly pressure: number }[],
  fill: string,
): void {
  const size = 4 * devicePixelRatio;
  let free = bbox.left;
  ctx.save();
  ctx.fillStyle = fill;
  ctx.font = `${11 * devicePixelRatio}px system-ui, sans-serif`;
  ctx.textAlign = 'left';
  ctx.textBaseline = 'top';
  for (const { call, pressure } of readings.toSorted((a, b) => a.call - b.call)) {
    if (pressure <= MAX_DRAWN) continue;
    const x = valToPos(call, 'x', true);
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x - size, bbox.top + 1.6 * size);
    ctx.lineTo(x + size, bbox.top + 1.6 * size);
    ctx.fill();
    const words = `${Math.round(pressure * 100)}%`;
    const room = ctx.measureText(words).width;
    const left = x + 1.6 * size + room > bbox.left + bbox.width ? x - 1.6 * size - room : x + 1.6 * size;
    if (left < free) continue;
    ctx.fillText(words, left, bbox.top);
    free = left + room + size;
  }
  ctx.restore();
}

function drawShown({ ctx, bbox, valToPos }: uPlot, call: number, stroke: string): void {
  ctx.save();
  ctx.strokeStyle = stroke;
  ctx.lineWidth = devicePixelRatio;
  const x = Math.round(valToPos(call, 'x', true)) + 0.5;
  ctx.beginPath();
  ctx.moveTo(x, bbox.top);
  ctx.lineTo(x, bbox.top + bbox.height);
  ctx.stroke();
  ctx.restore();
}
