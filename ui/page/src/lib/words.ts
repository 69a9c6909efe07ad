/** The rate of a cable in words. */
export const rate = (mbit: number | undefined): string => (mbit ? `${mbit / 1000} Gbit/s` : 'unknown');

/** A number with commas between thousands. */
export const count = (n: number): string => n.toLocaleString('en');
