import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { compileHintsPlugin } from './build/compile-hints-plugin.ts';
import { wordsPlugin } from './build/words-plugin.ts';

const OVERLAYS =
  /\/ui\/(?:dialog-frame|menu-panel|toast-list|tooltip-panel)\.tsx|\/shell\/(?:connect|help)-dialog/;
/**
 * Small modules that screens share. Charts and tables are loaded only with screens that use them.
 */
const SHARED =
  /\/web\/src\/(?:lib|market|ui)\/(?!plot|use-plot|table|dialog-frame|menu-panel|toast-list|tooltip-panel|events\/|series\/|explorer)|\/session\/(?:first-steps|let-trade|sent-once)/;

/**
 * Groups of modules that are always loaded together, because many small files cost more than they
 * save.
 */
const GROUPS = [
  {
    // Browsers can cache this group over many versions of the page.
    name: 'base',
    test: /node_modules\/(?:react|react-dom|scheduler|zustand|use-sync-external-store|@tanstack\/(?:history|query-core|react-query|react-router|react-store|router-core|store))\//,
    priority: 9,
  },
  { name: 'shell', tags: ['$initial' as const], priority: 8 },
  { name: 'shared', test: SHARED, priority: 7 },
  {
    name: 'price-chart',
    test: /\/chart\/(?:price-chart|make-chart|line-overlay|place-tags|use-[a-z-]+)|\/(?:lightweight-charts|fancy-canvas)\//,
    // Modules that other code shares with the panel are loaded with the panel.
    includeDependenciesRecursively: false,
    priority: 6,
  },
  { name: 'plot', test: /\/ui\/plot\.ts/, priority: 6 },
  { name: 'table', test: /\/ui\/table\.tsx/, priority: 5 },
  { name: 'overlays', test: OVERLAYS, priority: 4 },
];

/**
 * The configuration for the build and for development. In development, `npx vite packages/web`
 * proxies to a venue on the default port.
 */
export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), tailwindcss(), wordsPlugin(), compileHintsPlugin()],
  build: {
    outDir: 'dist/page',
    emptyOutDir: true,
    target: 'es2023',
    // The content security policy blocks inlined pictures and fonts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    manifest: true,
    chunkSizeWarningLimit: 700,
    rolldownOptions: { output: { codeSplitting: { groups: GROUPS } } },
  },
  server: {
    proxy: Object.fromEntries(
      ['/info', '/exchange', '/account-status', '/request-fund', '/export', '/docs'].map((path) => [
        path,
        'http://127.0.0.1:8690',
      ]),
    ),
  },
});
