import { defineAsyncComponent } from 'vue';
import type { Theme } from 'vitepress';
// The fonts of the reader's own machine: the theme's would be two thirds of what a first visit loads.
import WithoutFonts from 'vitepress/theme-without-fonts';
import BenchTable from './BenchTable.vue';
import DemoGates from './DemoGates.vue';
import './style.css';

export default {
  extends: WithoutFonts,
  enhanceApp: ({ app }) => {
    app.component('BenchTable', BenchTable);
    app.component('DemoGates', DemoGates);
    // It brings the library along: only its own page loads it.
    app.component(
      'Playground',
      defineAsyncComponent(() => import('../playground/Playground.vue')),
    );
  },
} satisfies Theme;
