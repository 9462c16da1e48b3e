{{%AUTOESCAPE context="HTML"}}
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<title>{{TITLE}}</title>
<link rel="alternate" type="application/json+oembed" href="{{OEMBED_JSON}}" title="{{TITLE}}">
<link rel="alternate" type="text/xml+oembed" href="{{OEMBED_XML}}" title="{{TITLE}}">
<link rel="alternate" type="application/xml+oembed" href="{{OEMBED_XML}}" title="{{TITLE}}">
{{OPEN_GRAPH:none}}
<meta name="twitter:card" content="player">
<meta name="twitter:title" content="{{TITLE}}">
<meta name="twitter:player" content="{{PLAYER}}">
<meta name="twitter:player:width" content="{{WIDTH}}">
<meta name="twitter:player:height" content="{{HEIGHT}}">
{{#HAS_POSTER}}<meta name="twitter:image" content="{{POSTER}}">
{{/HAS_POSTER}}
