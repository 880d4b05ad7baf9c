/** So many things are counted when every attack has begun. */
export const COUNTED_MIN = 16;
