// Types of the handle of our embed codes. For a handle that an embed code names:
//
//   /// <reference path="player-v1.d.ts" />
//   declare const myFilm: SvcPlayer;

/** What the service knows about a video. Sizes in pixels, durations in seconds. */
interface SvcVideo {
  readonly id: string;
  readonly title: string;
  readonly width?: number;
  readonly height?: number;
  readonly duration?: number;
}

type SvcState = 'beforeplay' | 'playing' | 'paused' | 'ended';

/** The parameters that a listener of each event receives. `this` is the player. */
interface SvcEvents {
  /** The video is known; also if that was before bind(). */
  ready: [player: SvcPlayer];
  play: [player: SvcPlayer];
  pause: [player: SvcPlayer];
  /** The end of each video. */
  end: [player: SvcPlayer];
  /** Positions in seconds: the new one, and the last one before. */
  seek: [to: number, from: number];
  /** A few times per second during playback: the position in seconds. */
  timechange: [seconds: number];
  /** Once per second of the video: whole seconds. */
  secondchange: [second: number];
  /** 0 to 1, and whether the sound is muted. */
  volumechange: [volume: number, muted: boolean];
  playbackratechange: [rate: number];
  enterfullscreen: [player: SvcPlayer];
  cancelfullscreen: [player: SvcPlayer];
}

interface SvcPlayer {
  /** Resolves when playback begins. Rejects if the browser refuses sound without a gesture of the viewer. */
  play(): Promise<void>;
  pause(): this;
  state(): SvcState;
  /** Seconds. */
  time(): number;
  time(seconds: number): this;
  /** Seconds; 0 until it is known. */
  duration(): number;
  /** 0 to 1; 0 while muted. Setting more than 0 unmutes. */
  volume(): number;
  volume(level: number): this;
  mute(): this;
  unmute(): this;
  isMuted(): boolean;
  /** 1 is the normal speed; 0.25 to 4. */
  playbackRate(): number;
  playbackRate(rate: number): this;
  /** Browsers allow this during a gesture of the viewer only; otherwise nothing happens. */
  requestFullscreen(): this;
  cancelFullscreen(): this;
  inFullscreen(): boolean;
  /** The current video; null until it is known. */
  current(): SvcVideo | null;
  /** Plays this video of a playlist: an id, or an index from 0 on. Nothing happens if there is none. */
  current(idOrIndex: string | number): this;
  /** The option `email`, for the page's own scripts; null without it or with `doNotTrack`. It is sent nowhere. */
  email(): string | null;
  /** In a playlist. */
  next(): this;
  previous(): this;
  /** Calls back when the video is known. The promise has the player. */
  ready(callback?: (player: SvcPlayer) => void): Promise<SvcPlayer>;
  /** Returns a function that ends it. */
  bind<E extends keyof SvcEvents>(event: E, listener: (this: SvcPlayer, ...values: SvcEvents[E]) => void): () => void;
  /** Without a listener: all listeners of the event. */
  unbind<E extends keyof SvcEvents>(event: E, listener?: (this: SvcPlayer, ...values: SvcEvents[E]) => void): this;
  /** Takes the player out of the page. */
  remove(): void;
}

/** The default handle of async embed codes: the latest player. */
declare var svcEmbed: SvcPlayer;
/** The default handle of playlist_api embed codes. */
declare var svcPlaylist: SvcPlayer;

interface DocumentEventMap {
  /** A player exists; it bubbles from the element of the embed code, also out of a shadow root. */
  'svc:player': CustomEvent<SvcPlayer>;
}
