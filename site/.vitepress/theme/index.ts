import type { Theme } from 'vitepress';
// The fonts of the reader's own machine: the theme's would be two thirds of what a first visit loads.
import WithoutFonts from 'vitepress/theme-without-fonts';
import BenchTable from './BenchTable.vue';
import GatesPicture from './GatesPicture.vue';
import './style.css';

export default {
  extends: WithoutFonts,
  enhanceApp: ({ app }) => {
    app.component('BenchTable', BenchTable);
    app.component('GatesPicture', GatesPicture);
  },
} satisfies Theme;
