{{%AUTOESCAPE context="HTML"}}
{{>DISCOVERY}}
<link rel="canonical" href="{{PAGE}}">
<script type="application/ld+json">{{JSON_LD:none}}</script>
