// The value that would stand at a place if all were sorted, without sorting them: a fifth of the time.

/** By Hoare's selection; the values change their places. There must be one at that place, and none that is no number. */
export function ranked(values: Float64Array, place: number): number {
  let [from, to] = [0, values.length - 1];
  while (from < to) {
    const middle = values[(from + to) >> 1] ?? 0;
    let [left, right] = [from, to];
    while (left <= right) {
      while ((values[left] ?? 0) < middle) left++;
      while ((values[right] ?? 0) > middle) right--;
      if (left > right) break;
      const value = values[left] ?? 0;
      values[left++] = values[right] ?? 0;
      values[right--] = value;
    }
    if (place <= right) to = right;
    else if (place >= left) from = left;
    else break;
  }
  return values[place] ?? 0;
}
