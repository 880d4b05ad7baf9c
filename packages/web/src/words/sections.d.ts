declare module 'words:*' {
  export const texts: object;
}
