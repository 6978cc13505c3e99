/** `node:util` without Node. */
import { dequal } from 'dequal';

export const isDeepStrictEqual = (a: unknown, b: unknown): boolean => dequal(a, b);

export const types = {
  isDate: (value: unknown): value is Date => Object.prototype.toString.call(value) === '[object Date]',
};

type Callback<T> = (error: unknown, value: T) => void;

/** Promisifies a function whose last argument is a callback. */
export const promisify =
  <T>(task: (...args: never[]) => void) =>
  (...args: unknown[]): Promise<T> =>
    new Promise((resolve, reject) => {
      const told: Callback<T> = (error, value) => (error ? reject(error as Error) : resolve(value));
      (task as (...all: unknown[]) => void)(...args, told);
    });

export default { isDeepStrictEqual, types, promisify };
