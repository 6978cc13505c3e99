import type { ReactNode } from 'react';

const icon = (paths: ReactNode) =>
  function Icon({ size = 15 }: { readonly size?: number }) {
    return (
      <svg
        width={size}
        height={size}
        viewBox="0 0 16 16"
        fill="none"
        stroke="currentColor"
        strokeWidth="1.5"
        strokeLinecap="round"
        strokeLinejoin="round"
        aria-hidden="true"
      >
        {paths}
      </svg>
    );
  };

/** A dam with a gate, and water over it. */
export const Dam = icon(<path d="M2 3v10h12M5 6v7M5 6c4 0 3 4 9 4" />);
export const Sun = icon(
  <>
    <circle cx="8" cy="8" r="3" />
    <path d="M8 1v1.5M8 13.5V15M1 8h1.5M13.5 8H15M3 3l1 1M12 12l1 1M13 3l-1 1M4 12l-1 1" />
  </>,
);
export const Moon = icon(<path d="M13.5 9.5A6 6 0 0 1 6.5 2.5a6 6 0 1 0 7 7z" />);
export const Key = icon(
  <>
    <circle cx="5" cy="11" r="3" />
    <path d="M7.2 8.8 13 3M11 5l2 2" />
  </>,
);
export const Open = icon(<path d="m6 4 4 4-4 4" />);
export const Close = icon(<path d="m4 6 4 4 4-4" />);
export const Pin = icon(<path d="M6 2h4l-.5 4.5L12 9H4l2.5-2.5zM8 9v5" />);
export const Undo = icon(<path d="M3 6h7a3.5 3.5 0 0 1 0 7H6M3 6l3-3M3 6l3 3" />);
