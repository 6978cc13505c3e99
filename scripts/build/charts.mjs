// The chart library of `spillway replay --compare`: its own files, which the page holds whole.
import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { dist, root } from './options.mjs';

/** Writes dist/charts. */
export function copyCharts() {
  mkdirSync(join(dist, 'charts'), { recursive: true });
  for (const file of ['uPlot.iife.min.js', 'uPlot.min.css'])
    copyFileSync(join(root, 'node_modules/uplot/dist', file), join(dist, 'charts', file));
}
