<!DOCTYPE html>
<html lang="{{LANGUAGE}}" dir="{{DIRECTION}}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
{{#UNLISTED}}<meta name="robots" content="noindex">
{{/UNLISTED}}<link rel="icon" href="{{FILES}}{{@ICON}}">
<title>{{TITLE}}{{OF_PRODUCT}}</title>
<link rel="stylesheet" href="{{FILES}}/assets/site.css">
{{#ACCENT}}<link rel="stylesheet" href="{{FILES}}{{@BRAND_STYLE}}">
{{/ACCENT}}{{#SCRIPT}}<script src="{{PATH}}" defer></script>
{{/SCRIPT}}{{#REFRESH}}<noscript><meta http-equiv="refresh" content="{{SECONDS}}"></noscript>
{{/REFRESH}}{{>FORM_ANSWER}}
{{>HEAD}}
</head>
<body class="{{#NARROW}}narrow{{/NARROW}}{{#SETTINGS}}settings{{/SETTINGS}}{{#TOOL}}tool{{/TOOL}}{{#MANUAL}}settings manual{{/MANUAL}}{{#HOME}}home{{/HOME}}">
<a class="skip" href="#content">{{_}}Skip to the content{{/_}}</a>
<header class="top"><div class="bar">
{{#HOST}}<a class="brand" href="{{APP}}/"><img src="{{FILES}}{{@ICON}}" alt="" width="28" height="28"><bdi>{{PRODUCT}}</bdi></a>
{{/HOST}}{{#OWNER}}<span class="brand">{{#LOGO}}<img class="logo" src="{{URL}}" alt="">{{/LOGO}}<bdi>{{NAME}}</bdi></span>
{{/OWNER}}{{#PLACES}}<nav class="places" aria-label="{{_}}Main{{/_}}"><ul>
{{#PLACE}}<li><a href="{{PATH}}"{{#HERE}} aria-current="page"{{/HERE}}{{#WITHIN}} aria-current="true"{{/WITHIN}}>{{NAME}}</a></li>
{{/PLACE}}</ul></nav>
{{#VISITOR}}<a class="button enter" href="{{APP}}{{@SETTINGS}}">{{WORDS}}</a>
{{/VISITOR}}<details class="menu{{#VISITOR}} of-visitor{{/VISITOR}}"><summary>{{#VISITOR}}{{_}}Menu{{/_}}{{/VISITOR}}{{#USER}}<bdi>{{CONTACT}}</bdi>{{/USER}}</summary>
<div class="panel">
<ul class="others">
{{#PLACE}}<li><a href="{{PATH}}"{{#HERE}} aria-current="page"{{/HERE}}{{#WITHIN}} aria-current="true"{{/WITHIN}}>{{NAME}}</a></li>
{{/PLACE}}{{#VISITOR}}<li><a href="{{APP}}{{@SETTINGS}}">{{WORDS}}</a></li>
{{/VISITOR}}</ul>
{{#USER}}<p><bdi>{{EMAIL}}</bdi></p>
<ul>
{{#OWN}}<li><a href="{{PATH}}"{{#HERE}} aria-current="page"{{/HERE}}>{{NAME}}</a></li>
{{/OWN}}</ul>
<form method="post" action="{{@LOGOUT}}">
<input type="hidden" name="csrf" value="{{LOGOUT_TOKEN}}">
<button>{{_}}Log out{{/_}}</button>
</form>
{{/USER}}</div></details>
{{/PLACES}}</div></header>
<main id="content">
{{>BODY}}
</main>
<footer class="foot"><ul>
<li><bdi>{{PRODUCT}}</bdi></li>
{{#FOOT}}<li><a href="{{URL}}">{{NAME}}</a></li>
{{/FOOT}}</ul></footer>
</body>
</html>
