/// <reference path="./player-v1.d.ts" />
import type { SvcOption, SvcPlayerOptionAttributes, SvcPlayerOptions } from './options.js';

export type { SvcOption, SvcPlayerOptionAttributes, SvcPlayerOptions } from './options.js';

/** Either a video or a playlist. `width` and `height`: the size, and the ratio; else the element fills its place. */
export interface SvcPlayerAttributes extends SvcPlayerOptionAttributes {
  'media-id'?: string;
  'playlist-id'?: string;
  width?: number | string;
  height?: number | string;
}

/** The events of the handle that videos do not have: `detail` is what a listener of bind() gets. */
export type SvcOwnEvents = Omit<SvcEvents, 'play' | 'pause' | 'volumechange'>;
export type SvcPlayerElementEventMap = { [name in keyof SvcOwnEvents]: CustomEvent<SvcOwnEvents[name]> };

/** A player of the page; it ends when the element leaves the page. */
export interface SvcPlayerElement extends HTMLElement, Omit<SvcPlayerOptions, 'muted' | 'time' | 'volume'> {
  mediaId: string | null;
  playlistId: string | null;

  /** Resolves when playback begins. Rejects if the browser refuses sound without a gesture of the viewer. */
  play(): Promise<void>;
  pause(): this;
  mute(): this;
  unmute(): this;
  next(): this;
  previous(): this;
  requestFullscreen(): Promise<void>;
  cancelFullscreen(): this;
  /** Resolves to the handle when the video is known. */
  ready(callback?: (player: SvcPlayer) => void): Promise<SvcPlayer>;
  bind: SvcPlayer['bind'];
  unbind<E extends keyof SvcEvents>(event: E, listener?: (this: SvcPlayer, ...values: SvcEvents[E]) => void): this;

  /** Seconds. `time` is the same. */
  currentTime: number;
  time: number;
  readonly duration: number;
  /** 0 to 1; 0 while muted. Setting more than 0 unmutes. */
  volume: number;
  muted: boolean;
  playbackRate: number;
  readonly state: SvcState;
  readonly inFullscreen: boolean;
  /** The current video. Setting an id or an index plays that video of the playlist. */
  get current(): SvcVideo | null;
  set current(idOrIndex: string | number);

  readonly paused: boolean;
  readonly ended: boolean;
  readonly seeking: boolean;
  readonly readyState: number;
  readonly buffered: TimeRanges | null;
  readonly seekable: TimeRanges | null;
  readonly videoWidth: number;
  readonly videoHeight: number;

  addEventListener<E extends keyof SvcPlayerElementEventMap>(event: E,
    listener: (this: SvcPlayerElement, event: SvcPlayerElementEventMap[E]) => void,
    options?: boolean | AddEventListenerOptions): void;
  addEventListener<E extends keyof HTMLElementEventMap>(event: E,
    listener: (this: SvcPlayerElement, event: HTMLElementEventMap[E]) => void,
    options?: boolean | AddEventListenerOptions): void;
  addEventListener(event: string, listener: EventListenerOrEventListenerObject,
    options?: boolean | AddEventListenerOptions): void;
  removeEventListener<E extends keyof SvcPlayerElementEventMap>(event: E,
    listener: (this: SvcPlayerElement, event: SvcPlayerElementEventMap[E]) => void, options?: boolean | EventListenerOptions): void;
  removeEventListener<E extends keyof HTMLElementEventMap>(event: E,
    listener: (this: SvcPlayerElement, event: HTMLElementEventMap[E]) => void, options?: boolean | EventListenerOptions): void;
  removeEventListener(event: string, listener: EventListenerOrEventListenerObject, options?: boolean | EventListenerOptions): void;
}

/**
 * Defines the element, from `host`, the host of players. Resolves to its class, on a server to null. Rejects if the host
 * does not answer.
 */
export function load(host: string): Promise<(new () => SvcPlayerElement) | null>;

declare global {
  interface HTMLElementTagNameMap {
    'svc-player': SvcPlayerElement;
  }
}
