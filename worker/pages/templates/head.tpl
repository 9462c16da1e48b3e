<link rel="alternate" type="application/json+oembed" href="{{OEMBED_JSON}}" title="{{TITLE}}">
<link rel="alternate" type="text/xml+oembed" href="{{OEMBED_XML}}" title="{{TITLE}}">
<link rel="alternate" type="application/xml+oembed" href="{{OEMBED_XML}}" title="{{TITLE}}">
<link rel="iframely player" type="text/html" href="{{PLAYER}}" media="(aspect-ratio: {{RATIO_WIDTH}}/{{RATIO_HEIGHT}})">
{{OPEN_GRAPH}}
{{#HAS_DESCRIPTION}}<meta name="description" content="{{DESCRIPTION}}">
<meta property="og:description" content="{{DESCRIPTION}}">
{{/HAS_DESCRIPTION}}{{#HAS_FILE}}<meta property="og:video" content="{{URL}}">
{{#SECURE}}<meta property="og:video:secure_url" content="{{URL}}">
{{/SECURE}}<meta property="og:video:type" content="video/mp4">
{{#HAS_SIZE}}<meta property="og:video:width" content="{{WIDTH}}">
<meta property="og:video:height" content="{{HEIGHT}}">
{{/HAS_SIZE}}{{/HAS_FILE}}
<meta name="twitter:card" content="player">
<meta name="twitter:title" content="{{TITLE}}">
<meta name="twitter:player" content="{{PLAYER}}">
<meta name="twitter:player:width" content="{{WIDTH}}">
<meta name="twitter:player:height" content="{{HEIGHT}}">
{{#HAS_POSTER}}<meta name="twitter:image" content="{{POSTER}}">
{{/HAS_POSTER}}
