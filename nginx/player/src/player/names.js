// names: the methods of a handle, as player-v1.d.ts declares them.
export const kMethods = ['play', 'pause', 'state', 'time', 'duration', 'volume', 'mute', 'unmute', 'isMuted',
  'playbackRate', 'requestFullscreen', 'cancelFullscreen', 'inFullscreen', 'current', 'email', 'next', 'previous',
  'ready', 'bind', 'unbind', 'remove'];
