/** Rising numbers as differences, each with how often it comes in a row: `[first, 1, step, times, …]`. */
export function toRunLengths(numbers: readonly number[]): number[] {
  const lengths: number[] = [];
  let before = 0;
  for (const number of numbers) {
    const step = number - before;
    before = number;
    if (lengths.at(-2) === step) lengths.push((lengths.pop() ?? 0) + 1);
    else lengths.push(step, 1);
  }
  return lengths;
}

export function fromRunLengths(lengths: readonly number[]): number[] {
  const numbers: number[] = [];
  let before = 0;
  for (let at = 0; at < lengths.length; at += 2) {
    const step = lengths[at] ?? 0;
    for (let times = lengths[at + 1] ?? 0; times > 0; times -= 1) numbers.push((before += step));
  }
  return numbers;
}
