import type { Plugin } from 'vite';

const HINT = '//# allFunctionsCalledOnLoad\n';
/** Large, and most of it is never called. */
const LEFT_OUT = new Set(['signing']);

/**
 * Tells the browser to compile a whole file while it arrives, beside the page's thread, instead of function by
 * function on it as each is first called: a quarter of the work of a first visit was that.
 */
export function compileHintsPlugin(): Plugin {
  return {
    name: 'compile-hints',
    // The bundler puts its own lines on top of a file at the end, and the hint must stand above all of them.
    generateBundle: {
      order: 'post',
      handler(_options, bundle) {
        for (const file of Object.values(bundle)) {
          if (file.type === 'chunk' && !LEFT_OUT.has(file.name)) file.code = HINT + file.code;
        }
      },
    },
  };
}
