// Drawing from seeded chance.
export type Random = () => number;

export const below = (random: Random, end: number): number => Math.floor(random() * end);
export const pick = <T>(random: Random, of: readonly T[]): T => of[below(random, of.length)] as T;
export const maybe = <T>(random: Random, chance: number, make: () => T): T | undefined =>
  random() < chance ? make() : undefined;
export const some = <T>(random: Random, most: number, make: () => T): T[] =>
  Array.from({ length: 1 + below(random, most) }, make);
export const digits = (random: Random, count: number): string =>
  Array.from({ length: count }, () => below(random, 10)).join('');
