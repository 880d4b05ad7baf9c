/** A section of the catalogue, cut out by build/words-plugin.ts. Its keys are known by `lib/words.ts`. */
declare module 'words:*' {
  export const texts: object;
}
