import type { Plugin } from 'vite';

const HINT = '//# allFunctionsCalledOnLoad\n';
/** Groups that get no compile hint, because they are large and most of their code is never run. */
const LEFT_OUT = new Set(['signing']);

/** Adds a hint that makes browsers compile whole files off the main thread while they load. */
export function compileHintsPlugin(): Plugin {
  return {
    name: 'compile-hints',
    // The bundler adds its own lines last, and the hint must be the first line.
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
