/**
 * The fields of a type that hold more than a number, an amount, a text or a flag. Whoever copies a
 * value spreads it and lists these: a new field that could be shared by mistake does not compile.
 */
export type ObjectFields<T> = {
  [Key in keyof T as T[Key] extends Plain ? never : Key]: T[Key];
};

type Plain = number | bigint | string | boolean | undefined;
